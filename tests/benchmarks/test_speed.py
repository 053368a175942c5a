"""The speed benchmark: how a run is measured, who takes part, and the whole way on a repository made here."""

from __future__ import annotations

import importlib
import json
import re
import shutil
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.markers import between_markers
from benchmarks.speed import page, results, stages
from benchmarks.speed.__main__ import main
from benchmarks.speed.contestants import COLD, TWO_CORES, WARM, Cache, Contestant, peers, trainlint
from benchmarks.speed.measure import Failed, run
from benchmarks.speed.results import Results
from benchmarks.speed.rounds import Differs, Ring, Rules
from benchmarks.speed.run import IN_PROJECT_EDITED
from benchmarks.speed.trees import NothingToMeasure, copied, files_of, grown, sample

DOCS = Path(__file__).resolve().parents[2] / "docs"
TRAIN = """\
import torch


def train(model, loader, optimizer):
    for batch in loader:
        loss = model(batch.cuda())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        print(loss.item())
"""
CLEAN = "import torch\n\n" + "".join(
    f"\n\ndef scaled_{n}(x: torch.Tensor) -> torch.Tensor:\n    return x * {n}\n" for n in range(30)
)
FILES = {"toy/__init__.py": "", "toy/clean.py": CLEAN, "toy/train.py": TRAIN}
ONCE = Rules(repeat=1, patience=60, limit=60)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    root = tmp_path / "toy-repository"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def no_peers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A PATH on which there is git and nothing else."""
    git = shutil.which("git")
    assert git is not None
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "git").symlink_to(git)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))


def python(code: str) -> tuple[str, ...]:
    return (sys.executable, "-c", code)


# One run


def test_processes_of_a_process_count_as_well(tmp_path: Path) -> None:
    busy = "import time\nwhile time.process_time() < 0.3: pass"
    took = run(
        python(f"import subprocess, sys; subprocess.run([sys.executable, '-c', {busy!r}])"), tmp_path, limit=60
    ).took
    assert 0.3 <= took.cpu < 3
    assert took.wall >= 0.3


def test_the_peak_is_what_the_process_held_and_not_what_started_it(tmp_path: Path) -> None:
    here = bytearray(200_000_000)
    assert run(python("pass"), tmp_path, limit=60).took.peak < 60_000_000
    assert run(python("held = bytearray(100_000_000)"), tmp_path, limit=60).took.peak > 100_000_000
    del here


def test_bytecode_is_kept_between_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    (tmp_path / "module.py").write_text("", encoding="utf-8")
    run([sys.executable, "-c", "import module"], tmp_path, limit=10)
    assert list(tmp_path.glob("__pycache__/module.*.pyc"))


def test_a_run_that_takes_too_long_is_ended_with_all_its_processes(tmp_path: Path) -> None:
    child = "import os, time; print(os.getpid(), file=open('child', 'w'), flush=True); time.sleep(600)"
    command = python(f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])")
    for limit in (2, 10, 60):  # on a busy machine, the child may not have begun within the first
        with pytest.raises(Failed, match=rf"^took longer than {limit} s and was ended$"):
            run(command, tmp_path, limit=limit)
        if (tmp_path / "child").exists() and (tmp_path / "child").read_text():
            break
    pid = int((tmp_path / "child").read_text())
    deadline = time.monotonic() + 60
    while Path("/proc", str(pid)).exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not Path("/proc", str(pid)).exists()


def test_a_contestant_that_fails_says_why(tmp_path: Path) -> None:
    with pytest.raises(Failed, match=r"^ended with exit code 3: no torch here$"):
        run(python("import sys; sys.stderr.write('no torch here'); sys.exit(3)"), tmp_path, limit=60)
    with pytest.raises(Failed, match=r"^ended with exit code 127: no-such-program: No such file or directory$"):
        run(("no-such-program",), tmp_path, limit=60)


# Who takes part


@pytest.mark.usefixtures("no_peers")
def test_a_peer_that_is_not_installed_is_named(tmp_path: Path) -> None:
    assert {peer.absent for peer in peers(()) if peer.name == "torchfix"} == {"there is no `torchfix` on PATH"}
    assert all(peer.absent for peer in peers((tmp_path,)))


@pytest.mark.usefixtures("no_peers")
def test_a_peer_is_taken_from_the_environment_that_has_it(tmp_path: Path) -> None:
    program = tmp_path / "venv" / "bin" / "fixit"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (program.parent / "python").symlink_to(sys.executable)
    found = {peer.name: peer for peer in peers((tmp_path / "other", tmp_path / "venv"))}
    assert found["fixit"].command == (str(program), "lint")
    assert not found["fixit"].absent
    assert found["fixit"].version == "of unknown version"


# Rounds


def ring(directory: Path) -> Ring:
    return Ring(directory, ("toy",), directory / "cache", lambda _: None)


def test_runs_are_interleaved_and_who_is_slow_is_not_asked_again(clone: Path) -> None:
    told: list[str] = []
    quick = Contestant("quick", "quick", python("pass"))
    slow = Contestant("slow", "slow", python("import time; time.sleep(1)"), slow=True)
    absent = Contestant("absent", "absent", (), absent="it is not there")
    runs = Ring(clone, (), clone, told.append).measure((quick, slow, absent), Rules(repeat=3, patience=3, limit=60))
    assert told == ["round 1: quick", "round 1: slow", "round 2: quick", "round 3: quick"]
    assert [len(each.took) for each in runs] == [3, 1, 0]
    assert [each.reason for each in runs] == ["", "", "it is not there"]


@pytest.mark.nightly
@pytest.mark.slow
def test_trainlint_says_the_same_however_it_runs(clone: Path) -> None:
    found = ring(clone)
    runs = found.measure(trainlint(), replace(ONCE, repeat=2))
    assert [len(each.took) for each in runs] == [2, 2, 2, 2, 2]
    assert [finding["code"] for finding in json.loads(found.report)["findings"]]
    assert {each.name: each.cache for each in trainlint()}[WARM] is Cache.FILLED


def test_two_reports_that_differ_are_an_error(clone: Path) -> None:
    report: dict[str, list[dict[str, str]]] = {"findings": [], "failures": []}
    other = {"findings": [{"code": "TRN201", "path": "toy/train.py"}], "failures": []}
    one, two = (
        Contestant(name, name, python(f"print({json.dumps(each)!r})"), cache=Cache.NONE)
        for name, each in (("alone", report), ("two cores", other))
    )
    with pytest.raises(
        Differs, match=r'alone and two cores do not report the same: only the second has {"code": "TRN201"'
    ):
        ring(clone).measure((one, two), ONCE)


# Trees


def test_a_copy_holds_the_files_that_trainlint_judges(clone: Path, tmp_path: Path) -> None:
    (clone / "notes.txt").write_text("nothing")
    tree = copied(clone, files_of(clone), tmp_path / "copy")
    assert tree.files == tuple(sorted(FILES))
    assert tree.lines == sum(text.count("\n") for text in FILES.values())
    assert (tree.root / "toy" / "train.py").read_text(encoding="utf-8") == TRAIN


def test_an_empty_directory_cannot_be_measured(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(NothingToMeasure, match="holds no Python file"):
        files_of(tmp_path / "empty")


def test_a_sample_is_every_nth_file() -> None:
    files = [f"{number}.py" for number in range(10)]
    assert sample(files, 1000, 400) == ["0.py", "3.py", "6.py", "9.py"]
    assert sample(files, 1000, 1000) == files


def test_a_grown_tree_has_its_number_of_files_and_no_two_alike(clone: Path, tmp_path: Path) -> None:
    tree = grown([("toy", clone)], 8, tmp_path / "grown")
    assert tree.files[:4] == (
        "toy_0001/toy/__init__.py",
        "toy_0001/toy/clean.py",
        "toy_0001/toy/train.py",
        "toy_0002/toy/__init__.py",
    )
    assert len({(tree.root / name).read_bytes() for name in tree.files}) == len(tree.files) == 8
    assert tree.lines == sum((tree.root / name).read_bytes().count(b"\n") for name in tree.files)


@pytest.mark.parametrize("function", [name for functions in stages.STAGES.values() for name in functions])
def test_a_stage_begins_with_a_function_that_there_is(function: str) -> None:
    module, _, name = function.partition(":")
    assert callable(getattr(importlib.import_module(module), name))


def test_the_time_of_a_stage_is_its_own() -> None:
    clocks = stages.Clocks()
    outer, inner = list(stages.STAGES)[1:3]
    clocked_inside = clocks.around(spend, inner)

    def work() -> None:
        spend(0.2)
        clocked_inside(0.1)

    clocks.around(work, outer)()
    assert 0.1 <= clocks.seconds[inner] < 0.2 <= clocks.seconds[outer] < 0.3


def spend(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def test_the_stages_of_a_tree_are_those_that_are_known(clone: Path) -> None:
    seconds = stages.of_tree(clone)
    assert seconds.keys() == stages.STAGES.keys()
    assert sum(seconds.values()) > 0


# The whole way


@pytest.fixture
def measured(clone: Path, tmp_path: Path, no_peers: None) -> tuple[Results, Path]:
    written = tmp_path / "docs" / "performance.md"
    written.parent.mkdir()
    written.write_text(
        "".join(f"<!-- {name}:start -->\n<!-- {name}:end -->\n" for name in page.PARTS), encoding="utf-8"
    )
    out = written.parent / "performance.json"
    words = [str(clone), "--repeat", "1", "--sample-lines", "60", "--sizes", "4", "--at", f"{clone.name}=v1"]
    assert main([*words, "--out", str(out), "--page", str(written)]) == 0
    return results.read(out), written


@pytest.mark.nightly
@pytest.mark.slow
def test_a_repository_is_measured_and_written_down(measured: tuple[Results, Path], clone: Path, tmp_path: Path) -> None:
    found, written = measured
    repository = found.repositories[0]
    assert (repository.name, repository.version, repository.findings > 0) == (clone.name, "v1", True)
    assert all(repository.whole.of(name) for name in (COLD, WARM, TWO_CORES))
    assert repository.sample is not None
    assert {runs.contestant: runs.reason for runs in repository.sample.runs if runs.reason}["torchfix"]
    assert repository.one_file is not None
    assert repository.one_file.lines == CLEAN.count("\n")
    assert repository.one_file.of(IN_PROJECT_EDITED) is not None
    assert [tree.files for tree in found.growth] == [4]

    text = written.read_text(encoding="utf-8")
    assert "- Fixit, toy-repository: there is no `fixit` on PATH" in text
    assert "| toy-repository v1 | 3 |" in text
    pictures = sorted(path.name for path in (written.parent / "images").iterdir())
    assert pictures == ["speed-growth.svg", "speed-memory.svg", "speed-peers.svg"]
    for path in (written, written.parent / "performance.json", *(written.parent / "images").iterdir()):
        assert str(tmp_path) not in path.read_text(encoding="utf-8"), (
            "a page names no directory of the machine it was made on"
        )

    before = {path: path.read_bytes() for path in (written, *(written.parent / "images").iterdir())}
    assert main(["--out", str(written.parent / "performance.json"), "--page", str(written)]) == 0
    assert {path: path.read_bytes() for path in before} == before, "the page is made of nothing but the results"
    assert not (clone / ".git").exists(), "nothing is written into a clone"


def test_the_page_in_the_docs_says_what_the_results_say() -> None:
    """`python -m benchmarks.speed --out docs/performance.json --page docs/performance.md` makes it so."""
    found = results.read(DOCS / "performance.json")
    text = (DOCS / "performance.md").read_text(encoding="utf-8")
    for name, part in page.PARTS.items():
        assert between_markers(text, name, part(found)) == text, name
    for picture in re.findall(r"\]\((images/[\w-]+\.svg)\)", text):
        assert "<svg" in (DOCS / picture).read_text(encoding="utf-8")


def test_results_that_are_not_there_are_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--out", str(tmp_path / "none.json")]) == 2
    assert "holds no results to be read" in capsys.readouterr().err
    (tmp_path / "other.json").write_text("{}")
    assert main(["--out", str(tmp_path / "other.json")]) == 2


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        ((), "name clones to measure"),
        (("missing",), "is no directory"),
        ((".", "--grow", "other"), "--grow other: no such clone"),
        ((".", "--repeat", "0"), "expected a number from 1 on"),
        ((".", "--at", "v1"), "expected NAME=VERSION"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(
    words: tuple[str, ...], wrong: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(words)
    assert wrong in capsys.readouterr().err
