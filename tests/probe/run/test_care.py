"""What is the user's stays as it is: files, checkpoints, and what is sent to others."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.probe.run.running import SCRIPTS, Runner, only
from tests.signals import ctrl_c_is_heard
from trainlint_probe.changed_files.files import changes, snapshot
from trainlint_probe.changed_files.written_files import about_files
from trainlint_probe.launch import Request, launch


def test_what_is_saved_goes_elsewhere_and_is_read_back(runner: Runner, capfd: pytest.CaptureFixture[str]) -> None:
    launched = runner.run("saves", steps=100)
    run = only(launched)
    assert launched.exit_code == 0
    assert "all was read back" in capfd.readouterr().err
    names = {str(Path(path).relative_to(runner.project)) for path in run.redirected}
    assert names == {"weights.pt", "best.ckpt", "opened.pt", "scripted.pt", "method.pt", "distributed"}
    assert runner.files() == []


@pytest.mark.parametrize("way", ["open", "remove", "replace", "truncate", "rmtree"])
def test_a_checkpoint_that_was_there_is_not_touched(
    runner: Runner, capfd: pytest.CaptureFixture[str], way: str
) -> None:
    checkpoint = runner.project / "run" / "best.pt"
    checkpoint.parent.mkdir()
    checkpoint.write_text("years of work")
    launched = runner.run("overwrites", way, steps=100)
    assert only(launched).outcome == "safety stop"
    assert launched.exit_code == 5
    assert f"before {checkpoint} was overwritten" in capfd.readouterr().err
    assert checkpoint.read_text() == "years of work"


def test_torch_save_over_a_checkpoint_leaves_it_alone(runner: Runner) -> None:
    checkpoint = runner.project / "checkpoint.pt"
    checkpoint.write_text("years of work")
    launched = runner.run("plain", steps=60)
    assert only(launched).outcome == "window closed"
    assert checkpoint.read_text() == "years of work"


def test_a_checkpoint_that_was_overwritten_past_python_is_told(runner: Runner) -> None:
    """As libraries do that write by themselves: nothing stands before them but an overlay."""
    checkpoint = runner.project / "model.safetensors"
    checkpoint.write_text("years of work")
    script = runner.project / "train.py"
    script.write_text("import subprocess\nsubprocess.run('echo worse > model.safetensors', shell=True, check=True)\n")
    launched = launch(Request(str(script)), runner.output)
    assert only(launched).outcome == "safety stop"
    told = about_files(launched.changed, launched.overlay)
    assert told[-1] == "Checkpoints of yours are among that: model.safetensors."


def test_the_scan_tells_what_was_made_changed_and_removed(tmp_path: Path) -> None:
    for name in ("kept.txt", "changed.txt", "model.pt", "gone.safetensors"):
        (tmp_path / name).write_text("before")
    before = snapshot((tmp_path,))
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "log.csv").write_text("1")
    (tmp_path / "empty" / "inner").mkdir(parents=True)
    (tmp_path / "changed.txt").write_text("after, and longer")
    (tmp_path / "model.pt").write_text("after, and longer")
    (tmp_path / "gone.safetensors").unlink()
    seen = changes(before, snapshot((tmp_path,)))
    assert seen.new == (str(tmp_path / "new" / "log.csv"),)
    assert seen.changed == (str(tmp_path / "changed.txt"), str(tmp_path / "model.pt"))
    assert seen.removed == (str(tmp_path / "gone.safetensors"),)
    assert seen.touched_checkpoints == (str(tmp_path / "model.pt"), str(tmp_path / "gone.safetensors"))
    assert not (tmp_path / "empty").exists()


def test_trackers_are_told_to_keep_still(runner: Runner, capfd: pytest.CaptureFixture[str]) -> None:
    script = runner.project / "tracked.py"
    script.write_text("import os\nprint({k: v for k, v in os.environ.items() if 'MODE' in k or 'MLFLOW' in k})\n")
    launch(Request(str(script)), runner.output)
    shown = capfd.readouterr().err
    assert "'WANDB_MODE': 'disabled'" in shown
    assert f"'MLFLOW_TRACKING_URI': 'file:{runner.output}" in shown


def test_settings_made_before_torch_is_imported_count(runner: Runner, capfd: pytest.CaptureFixture[str]) -> None:
    script = runner.project / "threads.py"
    script.write_text(
        "import os, sys\nassert 'torch' not in sys.modules\nos.environ['OMP_NUM_THREADS'] = '2'\n"
        "import torch\nprint('threads', torch.get_num_threads())\n"
    )
    launch(Request(str(script)), runner.output)
    assert "threads 2" in capfd.readouterr().err


def test_the_users_own_sitecustomize_still_runs(
    runner: Runner, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    own = runner.project / "own"
    own.mkdir()
    (own / "sitecustomize.py").write_text("print('the own one')\n")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(own), os.environ["PYTHONPATH"])))
    script = runner.project / "starts.py"
    script.write_text("import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'print(1)'], check=True)\n")
    launch(Request(str(script)), runner.output)
    # Which of the two processes speaks first is not said.
    assert sorted(capfd.readouterr().err.split()) == sorted("the own one the own one 1".split())


def test_the_parent_imports_no_torch() -> None:
    code = "import sys, trainlint_probe.launch, trainlint_probe.judgement.ranks; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def descendants(process: int) -> list[int]:
    """The processes below one, by Linux's own account."""
    try:
        text = Path(f"/proc/{process}/task/{process}/children").read_text()
    except OSError:
        return []
    return [item for child in map(int, text.split()) for item in (child, *descendants(child))]


def is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="asks Linux which processes are left")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("script", ["hostile/trains_in_a_process", "iterable"])
def test_ending_the_probe_ends_all_that_it_started(runner: Runner, script: str, number: signal.Signals) -> None:
    code = (
        "from pathlib import Path; from trainlint_probe.launch import Request, launch\n"
        "from trainlint_probe.child_settings import ChildSettings\n"
        "settings = ChildSettings(output='', steps=10**9)\n"
        f"request = Request({str(SCRIPTS / script) + '.py'!r}, child_settings=settings)\n"
        "try:\n"
        f"    launch(request, Path({str(runner.output)!r}))\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')"
    )
    with ctrl_c_is_heard():
        process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    below: list[int] = []
    deadline = time.monotonic() + 120
    last: list[int] = []
    while (len(below) < 2 or below != last) and time.monotonic() < deadline:
        time.sleep(2)  # until no process has been added for so long
        last, below = below, descendants(process.pid)
    assert len(below) >= 2
    os.kill(process.pid, number)
    shown, _ = process.communicate(timeout=60)
    if number == signal.SIGINT:
        assert shown == "interrupted\n"
    while any(map(is_running, below)) and time.monotonic() < deadline + 120:
        time.sleep(0.2)
    assert [item for item in below if is_running(item)] == []
