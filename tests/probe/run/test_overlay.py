"""On an overlay nothing that a script does to its project lasts, by whatever way it writes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.probe.run.running import SCRIPTS, Runner, only
from trainlint.cli import main
from trainlint_probe import overlay_mount
from trainlint_probe.changed_files.written_files import about_files
from trainlint_probe.launch import Request, launch
from trainlint_probe.overlay import Overlay, overlay_for

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has overlay file systems")


@pytest.fixture
def project(runner: Runner) -> Path:
    """An empty working directory, which this machine lets be overlaid."""
    overlay = overlay_for((runner.project,), runner.output)
    if not overlay.layers:
        pytest.skip(f"no overlay here: {overlay.obstacle}")
    return runner.project


def written(overlay: Overlay, code: str) -> None:
    """Run some Python on an overlay."""
    subprocess.run(overlay.wrapped_command([sys.executable, "-c", code]), check=True, timeout=60)


def test_what_a_script_writes_removes_and_renames_is_told_and_undone(runner: Runner, project: Path) -> None:
    for name in ("kept.txt", "appended.log", "gone.txt", "emptied/a.txt", "emptied/b.txt", "read_write.bin"):
        path = project / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(name)
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    overlay = overlay_for((project,), runner.output)
    written(
        overlay,
        "import os, shutil, subprocess\n"
        "open('appended.log', 'a').write('more')\n"
        "os.unlink('gone.txt')\n"
        "shutil.rmtree('emptied'); os.mkdir('emptied'); open('emptied/b.txt', 'w').write('anew')\n"
        "open('read_write.bin', 'r+').close()\n"
        "os.makedirs('runs/first'); subprocess.run('echo 1 > runs/first/events', shell=True, check=True)\n"
        "os.makedirs('__pycache__', exist_ok=True); open('__pycache__/a.pyc', 'w').write('x')\n",
    )
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == before
    seen = overlay.changes()
    assert seen.new == (str(project / "runs/first/events"),)
    assert seen.changed == (str(project / "appended.log"), str(project / "emptied/b.txt"))
    assert seen.removed == (str(project / "emptied/a.txt"), str(project / "gone.txt"))
    assert seen.size == len("appended.logmore") + len("anew") + len("1\n")


def test_a_script_sees_its_own_project_as_its_own_user(runner: Runner, project: Path) -> None:
    (project / "data.txt").write_text("here")
    subprocess.run(["git", "init", "--quiet"], check=True)
    overlay = overlay_for((project,), runner.output)
    written(
        overlay,
        "import os, subprocess\n"
        f"assert os.getcwd() == {str(project.resolve())!r}\n"
        f"assert (os.geteuid(), os.stat('data.txt').st_uid) == {(os.geteuid(), os.geteuid())}\n"
        "assert open('data.txt').read() == 'here'\n"
        "subprocess.run(['git', 'add', 'data.txt'], check=True)\n"
        "assert subprocess.check_output(['git', 'status', '--short'], text=True) == 'A  data.txt\\n'\n",
    )
    assert subprocess.check_output(["git", "status", "--short"], text=True) == "?? data.txt\n"


def test_the_whole_repository_lies_under_it(runner: Runner, project: Path) -> None:
    (project / ".git").mkdir()
    (project / "src").mkdir()
    overlay = overlay_for((project / "src", project / "src"), runner.output)
    assert overlay.directories == (str(project),)


def test_a_checkpoint_may_be_overwritten_there(runner: Runner, project: Path) -> None:
    checkpoint = project / "run" / "best.pt"
    checkpoint.parent.mkdir()
    checkpoint.write_text("years of work")
    launched = runner.run("overwrites", "rmtree", steps=100, overlay=True)
    assert only(launched).outcome == "too short"  # it went on to its end
    assert checkpoint.read_text() == "years of work"
    assert launched.changed.removed == (str(checkpoint),)
    (sentence,) = about_files(launched.changed, launched.overlay)
    assert sentence.startswith("The script ran on an overlay over ")
    assert sentence.endswith(": no file there changed. It would have removed run/best.pt.")


def test_what_is_saved_there_is_not_redirected_as_well(
    runner: Runner, project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (project / "nested").mkdir()
    launched = runner.run("saves", steps=100, overlay=True)
    assert launched.exit_code == 0
    assert "all was read back" in capfd.readouterr().err
    assert only(launched).redirected == ()
    names = {str(Path(path).relative_to(project)) for path in launched.changed.new}
    assert {"weights.pt", "best.ckpt", "opened.pt", "scripted.pt", "method.pt", "distributed/.metadata"} <= names
    assert runner.files() == ["nested"]


def test_what_is_saved_past_the_overlay_is_redirected(runner: Runner, project: Path, tmp_path: Path) -> None:
    """A directory of the project may be a link to another disk, which the overlay does not cover."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (project / "checkpoints").symlink_to(elsewhere)
    save = "import torch\ntorch.save(1, 'checkpoints/last.pt')\nassert torch.load('checkpoints/last.pt') == 1\n"
    (project / "train.py").write_text(save)
    launched = launch(Request(str(project / "train.py"), overlay=True), runner.output)
    assert launched.exit_code == 0
    assert only(launched).redirected == (str(project / "checkpoints/last.pt"),)
    assert list(elsewhere.iterdir()) == []


@pytest.mark.nightly
def test_ranks_write_to_the_same_layer(runner: Runner, project: Path) -> None:
    text = (SCRIPTS / "data_parallel.py").read_text()
    (project / "train.py").write_text(text.replace("for _ in", "open(f'log{rank}.txt', 'w')\nfor _ in", 1))
    launched = runner.run(
        "torch.distributed.run", "--standalone", "--nproc-per-node=2", "train.py", module=True, overlay=True
    )
    assert launched.exit_code == 0
    assert [run.outcome for run in launched.runs] == ["window closed"] * 2
    assert runner.files() == ["train.py"]
    assert launched.changed.new == (str(project / "log0.txt"), str(project / "log1.txt"))


def test_a_file_system_mounted_below_would_be_hidden(monkeypatch: pytest.MonkeyPatch, runner: Runner) -> None:
    monkeypatch.setattr("trainlint_probe.overlay._mount_points", lambda: ["/", str(runner.project / "data")])
    overlay = overlay_for((runner.project,), runner.output)
    assert overlay.layers == {}
    assert f"has another file system mounted at {runner.project / 'data'}" in overlay.obstacle


def test_the_home_directory_and_what_holds_our_own_files_are_left_alone(
    monkeypatch: pytest.MonkeyPatch, runner: Runner
) -> None:
    inside = runner.project / "temporary"
    inside.mkdir()
    assert "holds the home directory or" in overlay_for((runner.project,), inside).obstacle
    monkeypatch.setenv("HOME", str(runner.project))
    assert "holds the home directory or" in overlay_for((runner.project,), runner.output).obstacle


def test_who_wants_an_overlay_alone_gets_no_run_without(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(runner.project))
    launched = runner.run("plain", overlay=True)
    assert launched.runs == ()
    assert launched.fault.startswith("There can be no overlay, and so the script was not run: ")


def test_without_one_the_reason_is_told_and_the_guard_stands(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(runner.project))
    (runner.project / "run").mkdir()
    (runner.project / "run" / "best.pt").write_text("years of work")
    launched = runner.run("overwrites", "open", steps=100, overlay=None)
    assert only(launched).outcome == "safety stop"
    assert any(
        sentence.startswith(f"No overlay kept the script from your files: {runner.project} holds the home directory")
        for sentence in about_files(launched.changed, launched.overlay)
    )


@pytest.mark.nightly
def test_a_directory_may_be_renamed_there(runner: Runner, project: Path) -> None:
    """As scripts do that keep the results of the run before; an overlay refuses it as if it were another device."""
    (project / "results").mkdir()
    (project / "results" / "log.txt").write_text("of the run before")
    script = project / "train.py"
    script.write_text(
        "import os, torch\n"
        "os.rename('results', 'results_before')\n"
        "os.mkdir('results')\n"
        "assert open('results_before/log.txt').read() == 'of the run before'\n"
        "optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)])\n"
        "[optimizer.step() for _ in range(100)]\n"
    )
    launched = launch(Request(str(script), overlay=True), runner.output)
    assert only(launched).outcome == "window closed"
    assert runner.files() == ["results", "results/log.txt", "train.py"]
    assert launched.changed.removed == (str(project / "results" / "log.txt"),)
    assert launched.changed.new == (str(project / "results_before" / "log.txt"),)


@pytest.mark.skipif(os.geteuid() != 0, reason="root alone can be somebody else")
def test_who_is_not_root_stays_who_he_is(tmp_path: Path) -> None:
    """By the program alone, with the system's Python: the interpreter of a test run may be root's own."""
    python, nobody = "/usr/bin/python3", 65534
    if not Path(python).exists():
        pytest.skip("there is no Python for everybody")
    program = Path("/tmp") / f"trainlint-overlay-{os.getpid()}"  # pytest's directories are root's alone
    directory, layer = program / "project", program / "layer"
    try:
        for path in (program, directory, layer):
            path.mkdir()
            os.chown(path, nobody, nobody)
        (program / "mount.py").write_text(Path(overlay_mount.__file__).read_text())
        (directory / "data.txt").write_text("before")
        os.chown(directory / "data.txt", nobody, nobody)
        mounting = [python, "-I", "-S", str(program / "mount.py"), "--over", str(directory), str(layer), "--"]
        done = subprocess.run(
            [*mounting, "sh", "-c", "id -u; grep CapEff /proc/self/status; echo after > data.txt; cat data.txt"],
            cwd=directory,
            user=nobody,
            group=nobody,
            extra_groups=[],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode == overlay_mount.CANNOT:
            pytest.skip(f"no overlay here: {done.stderr}")
        assert done.stdout.split() == [str(nobody), "CapEff:", "0000000000000000", "after"]
        assert (directory / "data.txt").read_text() == "before"
        assert (layer / "written" / "data.txt").read_text() == "after\n"
    finally:
        shutil.rmtree(program)


@pytest.mark.nightly
def test_a_module_that_the_run_makes_is_not_missed_afterwards(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "train.py").write_text(
        "from pathlib import Path\n"
        "import torch\n"
        "Path('made.py').write_text('def read(loss):\\n    return loss.item()\\n')\n"
        "import made\n"
        "weight = torch.zeros(1, requires_grad=True)\n"
        "optimizer = torch.optim.SGD([weight])\n"
        "for _ in range(100):\n"
        "    loss = weight.square().sum()\n"
        "    loss.backward()\n"
        "    optimizer.step()\n"
        "    optimizer.zero_grad()\n"
        "    made.read(loss)\n"
    )
    assert main(
        ["probe", "--device", "cpu", "--no-deep", "--overlay", "--steps", "5", "--warmup", "3", "train.py"]
    ) in (0, 1)
    shown = capfd.readouterr().out
    assert "could not judge" not in " ".join(shown.split())
    # A long path is folded wherever the line ends.
    said = f"note: The script ran on an overlay over {project}: no file there changed. It would have made made.py."
    assert "".join(said.split()) in "".join(shown.split())
