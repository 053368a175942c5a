"""`trainlint check --watch`: judged again after each change, with what its project says, until Ctrl-C."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from queue import Empty, Queue
from typing import TYPE_CHECKING

import pytest

from tests.signals import ctrl_c_is_heard
from trainlint.cli.at_terminal.watch import watched
from trainlint.installation.install_command import install_command

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Program, Write

pytest.importorskip("watchfiles")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals end a process in another way there")


LOOP = """\
import torch
from torch.utils.data import DataLoader
from model.helper import log


def main(dataset):
    model = torch.nn.Linear(2, 2).cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for batch in DataLoader(dataset, num_workers=2):
        loss = model(batch.cuda()).sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        log(loss)


main([])
"""


class Watch:
    """A running watch, whose lines can be waited for."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.lines: list[str] = []
        self._queue: Queue[str] = Queue()
        assert process.stdout
        self.reader = threading.Thread(target=self._read, args=(process.stdout,), daemon=True)
        self.reader.start()

    def _read(self, stream: Iterator[bytes]) -> None:
        for line in stream:
            self._queue.put(line.decode().rstrip("\n"))

    def until(self, words: str) -> list[str]:
        """The lines up to one with these words."""
        new: list[str] = []
        while True:
            try:
                new.append(self._queue.get(timeout=100))
            except Empty:
                raise AssertionError(f"{words!r} did not come, only {new}") from None
            if words in new[-1]:
                return new

    def end(self) -> int:
        self.process.send_signal(signal.SIGINT)
        self.until("Stopped watching.")
        return self.process.wait(timeout=60)


@contextmanager
def watching(program: Program, *arguments: str) -> Iterator[Watch]:
    with ctrl_c_is_heard():
        running = subprocess.Popen(
            program.command("check", "--watch", *arguments),
            cwd=program.directory,
            env=dict(program.environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,  # in the order in which a terminal shows them
        )
    watch = Watch(running)
    try:
        yield watch
    finally:
        running.kill()
        running.wait()
        watch.reader.join()
        assert running.stdout
        running.stdout.close()


def test_a_change_is_judged_and_ctrl_c_ends_with_the_last_exit_code(toys: Program, write: Write) -> None:
    write("train.py", "import torch\n")
    with watching(toys, "--output-format", "concise") as watch:
        assert watch.until("Watching for changes")[0].startswith("All clear: 1 file, which")
        write("train.py", "import torch\nsafe()\n")
        assert "Changed: train.py" in watch.until("Changed")
        said = watch.until("Watching for changes")
        assert any(line.startswith("train.py:2:1: ") for line in said), said
        assert watch.end() == 1


def test_another_file_of_the_project_has_its_say(program: Program, write: Write) -> None:
    """Only the helper is judged; whether a training loop calls it stands in another file."""
    write("pyproject.toml", "")
    write("model/helper.py", "import torch\n\n\ndef log(loss):\n    return loss.item()\n")
    write("train.py", "import torch\n")
    with watching(program, "model", "--output-format", "concise", "--select", "TRN201") as watch:
        watch.until("Watching for changes")
        write("train.py", LOOP)
        watch.until("Changed: train.py")
        said = watch.until("Watching for changes")
        assert any(line.startswith("model/helper.py:5:") for line in said), said
        assert watch.end() == 1


def test_what_changes_while_files_are_judged_counts(toys: Program, write: Write) -> None:
    train = write("train.py", "import torch\n")
    slow = "slow.py"
    write(slow, "import torch\n" + "f(x)\n" * 20_000)
    with watching(toys, "--no-cache", "--output-format", "concise", "-v") as watch:
        watch.until("All clear")
        train.write_text("import torch\nsafe()\n")
        watch.until("Changed: train.py")
        train.write_text("import torch\nsafe()\nsafe()\n")  # while the run for the first change goes on
        watch.until("Found 1 problem at 2 places")


def test_settings_are_read_anew(toys: Program, write: Write) -> None:
    write("train.py", "import torch\nsafe()\n")
    write("trainlint.toml", "")
    with watching(toys, "--output-format", "concise") as watch:
        watch.until("Found 1 problem")
        watch.until("Watching for changes")
        write("trainlint.toml", 'ignore = ["TOY101"]\n')
        watch.until("All clear: 1 file, which")
        watch.until("Watching for changes")
        write("trainlint.toml", "ignore = 1\n")
        watch.until("could not judge")
        watch.until("Watching for changes")
        assert watch.end() == 2


def test_its_own_report_starts_no_run(toys: Program, write: Write) -> None:
    write("train.py", "import torch\nsafe()\n")
    with watching(toys, "--output-format", "json=report.json") as watch:
        watch.until("Watching for changes")
        write("other.py", "import torch\n")
        assert "Changed: other.py" in watch.until("Changed")
        said = watch.until("Watching for changes")
        assert not any("Changed" in line for line in said)
        write("third.py", "import torch\n")
        assert watch.until("Changed") == ["Changed: third.py"]


def test_quiet_leaves_the_findings_alone(toys: Program, write: Write) -> None:
    write("train.py", "import torch\nsafe()\n")
    with watching(toys, "--quiet", "--output-format", "concise") as watch:
        assert len(watch.until("train.py:2:1: ")) == 1
        write("train.py", "import torch\n\nsafe()\n")
        assert len(watch.until("train.py:3:1: ")) == 1


@pytest.mark.parametrize(
    "arguments", [["--fix"], ["--diff"], ["--add-ignores", "later"], ["-"], ["--show-files"], ["--interactive"]]
)
def test_what_makes_no_sense_beside_it_is_refused(program: Program, arguments: list[str]) -> None:
    done = program("check", "--watch", *arguments)
    assert done.code == 2
    assert "--watch" in done.err


def test_a_missing_library_is_a_sentence(program: Program, write: Write) -> None:
    write("train.py")
    command = "import sys; sys.modules['watchfiles'] = None; from trainlint.cli import main; sys.exit(main())"
    done = program("check", "--watch", program=("-c", command))
    assert (done.code, done.out) == (2, "")
    assert done.err == f"trainlint: --watch needs watchfiles: run `{install_command('watchfiles')}`\n"


def test_the_project_around_each_path_is_watched(tmp_path: Path) -> None:
    (tmp_path / "project/src").mkdir(parents=True)
    (tmp_path / "project/pyproject.toml").touch()
    (tmp_path / "alone").mkdir()
    (tmp_path / "alone/train.py").touch()
    named = [str(tmp_path / name) for name in ("project/src", "project/setup.py", "alone/train.py", "gone/x.py")]
    assert watched(named) == [str(tmp_path / "project"), str(tmp_path / "alone")]
