"""Two runs that share the machine in turns."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from time import monotonic, sleep

import pytest

from trainlint.finding import Safety
from trainlint_probe.processes import children, is_alive
from trainlint_probe.verify import run as trying
from trainlint_probe.verify.fixes import Edit, Proposal
from trainlint_probe.verify.one_run import Request
from trainlint_probe.verify.result import End, Outcome, Trial
from trainlint_probe.verify.side_by_side import Version, reason_against_pairing, run_pair
from trainlint_probe.verify.turns import DONE, TURN, Turns

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="they take turns on Linux alone")

TRAINING = """\
import sys, time
import torch

weight = torch.nn.Parameter(torch.ones(1))
optimizer = torch.optim.SGD([weight], lr=0.1)
with open(sys.argv[1], "w", buffering=1) as log:
    for step in range(1000):
        began = time.monotonic()
        time.sleep(0.01)
        optimizer.zero_grad()
        (weight * 2).sum().backward()
        log.write(f"{began} {time.monotonic()}\\n")
        optimizer.step()
"""
WORKS = "import time\nwhile True:\n    time.sleep(0.01)\n"
TELLS_WHAT_CHANCE_GAVE = """\
import ctypes, sys
import torch

weight = torch.nn.Parameter(torch.ones(1000))
optimizer = torch.optim.SGD([weight], lr=0.1)
with open(sys.argv[1], "w", buffering=1) as log:
    library = ctypes.CDLL(None)
    drawn = not library.personality(0xFFFFFFFF) & 0x40000  # where Linux lets nobody say ADDR_NO_RANDOMIZE
    address = "drawn" if drawn else ctypes.cast(library.malloc, ctypes.c_void_p).value
    log.write(f"{hash('a name')} {address}")
for step in range(100):
    optimizer.zero_grad()
    (weight * 2).sum().backward()
    optimizer.step()
"""
TAKES_A_NAME = """\
import socket
import torch

server = socket.socket(socket.AF_UNIX)
server.bind("\\0{name}")  # which only one process of the machine may have
weight = torch.nn.Parameter(torch.ones(1))
optimizer = torch.optim.SGD([weight], lr=0.05)
for step in range(1000):
    (weight * 2).sum().backward()
    optimizer.step()
"""


@pytest.fixture
def pipes(tmp_path: Path) -> Iterator[tuple[int, int]]:
    """The parent's ends of the pipes of one run: where it gives turns, and where it is told that they are over."""
    ends = []
    for name in (TURN, DONE):
        os.mkfifo(tmp_path / name)
        ends.append(os.open(tmp_path / name, os.O_RDWR))
    yield ends[0], ends[1]
    for end in ends:
        os.close(end)


def wait_for_state(process: int, states: str) -> None:
    """Until Linux has stopped a process, or lets it go on: signals arrive a little later."""
    limit = monotonic() + 60
    while Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in states:
        assert monotonic() < limit
        sleep(0.001)


def test_workers_stand_still_while_the_other_run_has_its_turn(tmp_path: Path, pipes: tuple[int, int]) -> None:
    turn, done = pipes
    turns = Turns(tmp_path, steps=10)
    with subprocess.Popen([sys.executable, "-c", WORKS]) as worker:
        try:
            waiting = threading.Thread(target=turns.wait, args=(None,))
            waiting.start()
            assert os.read(done, 1)
            wait_for_state(worker.pid, "T")
            os.write(turn, b".")
            waiting.join(60)
            assert not waiting.is_alive()
            wait_for_state(worker.pid, "RSD")
        finally:
            worker.kill()


def test_a_turn_lasts_for_several_steps(tmp_path: Path, pipes: tuple[int, int]) -> None:
    turns = Turns(tmp_path, steps=10_000_000)
    os.write(pipes[0], b"..")
    turns.wait(10**6)
    turns.wait(10**6)
    assert os.read(pipes[1], 10) == b".", "it is not over at once"


@pytest.mark.slow
def test_steps_of_two_runs_never_overlap_and_waiting_is_not_counted(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(TRAINING)
    logs = tmp_path / "one.log", tmp_path / "other.log"
    requests = [Request(str(script), (str(log),), warmup=3, steps=40, overlay=False) for log in logs]
    runs = run_pair(Version(requests[0], {}), Version(requests[1], {}))
    assert [run.end for run in runs] == [End.WINDOW_CLOSED] * 2
    assert [len(run.step_ms) for run in runs] == [40, 40]
    steps = [
        [(float(began), float(ended)) for began, ended in map(str.split, log.read_text().splitlines()[3:])]
        for log in logs
    ]
    both = sorted((began, ended, number) for number, run in enumerate(steps) for began, ended in run)
    assert all(ended <= began for (_, ended, _), (began, _, _) in pairwise(both))
    changes = sum(one[2] != other[2] for one, other in pairwise(both))
    assert changes >= 6, "the first turn may be long on a busy machine, and the others are shorter"
    began, ended = both[0][0], both[-1][1]
    assert sum(sum(run.step_ms) for run in runs) / 1000 <= ended - began + 0.5


@pytest.mark.slow
@pytest.mark.parametrize("steps_there_are", [1000, 10])
def test_short_steps_are_timed_for_longer_where_there_are_more(tmp_path: Path, steps_there_are: int) -> None:
    script = tmp_path / "train.py"
    script.write_text(TRAINING.replace("range(1000)", f"range({steps_there_are})"))
    same = script.read_text().replace("time.sleep(0.01)", "time.sleep(0.02 / 2)")
    fix = Proposal("XXX001", "made-up", Safety.SAFE, 1, (Edit(str(script.resolve()), "train.py", same.encode()),))
    asked = Request(str(script), ("/dev/null",), warmup=2, steps=5, least_s=0.6, pairs=2)
    (found,) = trying.try_all([fix], asked)
    assert len(found.before[0].step_ms) == 5
    (count,) = {len(run.step_ms) for run in (*found.before[1:], *found.after)}
    assert 5 < count <= 60 if steps_there_are > 10 else count == 5, "a step takes 10 ms at least"
    assert found.training is not None, found.sentence
    assert found.training.losses == 7, "what is compared are the steps that were asked for"
    assert found.training.same_parameters


@pytest.mark.slow
def test_what_chance_gives_is_the_same_for_both_of_a_pair_and_another_for_the_next(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(TELLS_WHAT_CHANCE_GAVE)
    pairs = []
    for _ in range(2):
        logs = tmp_path / "1.log", tmp_path / "2.log"
        one, other = (Version(Request(str(script), (str(log),), warmup=2, steps=5, overlay=False), {}) for log in logs)
        run_pair(one, other)
        pairs.append([log.read_text().split() for log in logs])
    assert [both[0] == both[1] for both in pairs] == [True, True]
    (first_hash, _), (next_hash, _) = (both[0] for both in pairs)
    assert first_hash != next_hash


@pytest.mark.slow
def test_runs_that_disturb_each_other_follow_each_other(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(TAKES_A_NAME.format(name=tmp_path))
    slower = script.read_text().replace("lr=0.05", "lr=0.04")
    fix = Proposal("XXX001", "made-up", Safety.UNSAFE, 1, (Edit(str(script.resolve()), "train.py", slower.encode()),))
    told: list[str] = []
    (found,) = trying.try_all([fix], Request(str(script), warmup=2, steps=5, pairs=2), told.append)
    assert "XXX001: runs 1 and 2 of 4, taking turns" in told
    assert "XXX001: run 4 of 4, without the fix" in told
    assert [len(runs) for runs in (found.before, found.after)] == [3, 2]
    assert found.outcome is Outcome.TRAINING_CHANGED, "the other learning rate is seen"


@pytest.mark.slow
def test_runs_do_not_wait_for_a_parent_that_is_gone(tmp_path: Path) -> None:
    """Neither the run that waits nor the worker that stands still for it is left behind."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(120)
        port = server.getsockname()[1]
        script = tmp_path / "train.py"
        script.write_text(
            f"import socket, subprocess, sys, time\nworker = subprocess.Popen([sys.executable, '-c', {WORKS!r}])\n"
            f"here = socket.create_connection(('127.0.0.1', {port}))\nhere.sendall(b'%d\\n' % worker.pid)\n"
            + TRAINING.replace("range(1000)", "range(100_000)")
        )
        code = (
            "from trainlint_probe.verify.one_run import Request\n"
            "from trainlint_probe.verify.side_by_side import Version, run_pair\n"
            f"version = Version(Request({str(script)!r}, ('/dev/null',), steps=90_000, overlay=False), {{}})\n"
            "run_pair(version, version)\n"
        )
        with subprocess.Popen([sys.executable, "-c", code]) as parent:
            connections = [server.accept()[0] for _ in range(2)]  # the second begins once the first waits
            workers = [int(connection.recv(20)) for connection in connections]
            runs = children(parent.pid)
            parent.send_signal(signal.SIGKILL)
    limit = monotonic() + 60
    while any(map(is_alive, (*runs, *workers))) and monotonic() < limit:
        sleep(0.05)
    assert not any(map(is_alive, (*runs, *workers)))
    for connection in connections:
        connection.close()


REQUEST = Request("train.py")
ALONE = Trial(End.WINDOW_CLOSED, (10.0,) * 5, clock="AdamW.step")


@pytest.mark.parametrize(
    ("request_", "rehearsal", "why"),
    [
        (REQUEST, ALONE, ""),
        (replace(REQUEST, processes=2), ALONE, "several processes train together"),
        (REQUEST, replace(ALONE, ranks=2), "several processes train together"),
        (REQUEST, replace(ALONE, device="cuda"), "the training uses a device"),
        (REQUEST, replace(ALONE, host_peak=10**18), "the memory is too small for two of them"),
        (
            REQUEST,
            replace(ALONE, files=("It made 1 file",)),
            "the script writes files, and there is no overlay",
        ),
        (REQUEST, replace(ALONE, files=("It would have made 1 file",), overlaid=True), ""),
    ],
)
def test_what_keeps_two_runs_apart(request_: Request, rehearsal: Trial, why: str) -> None:
    assert reason_against_pairing(request_, rehearsal) == why
