"""What is said of two runs, by their evidence alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from trainlint.evidence.interval import Interval
from trainlint.evidence.run import Computation, Computed, Environment, Run, Step
from trainlint.evidence.simulation import DeviceEvent, Simulated
from trainlint.report.settings import Style
from trainlint_probe.prove.changed_lines import Difference, difference
from trainlint_probe.prove.command import exit_code
from trainlint_probe.prove.compare import compare, with_noise
from trainlint_probe.prove.proof import proof
from trainlint_probe.prove.report import render
from trainlint_probe.prove.result import Answer, Proof, Training
from trainlint_probe.prove.versions import Version

SAME = Training(Answer.SAME, "all is the same", 3, 3)


def run(
    *losses: str, ended: bool = False, parameters: str = "ab", state: str = "cd", drawn: tuple[int, ...] = ()
) -> Run:
    """A run with one loss a step."""
    steps = tuple(Computed((loss,) if loss else (), parameters, drawn) for loss in losses)
    return Run(
        ("python", "train.py"),
        Environment({}),
        "too short" if ended else "window closed",
        steps=tuple(Step(1.0, {}) for _ in losses[1:]),
        simulated=Simulated("NVIDIA H100", 1, (), Interval(1, 2), (), 10, (1000,), corners_ms=(1, 2, 1, 2)),
        computed=Computation(steps, state),
    )


def compared(before: Run, after: Run) -> Training:
    return compare([before], [after])


def wait(line: int, count: int = 2) -> DeviceEvent:
    return DeviceEvent("wait", "Tensor.item", "train.py", line, "", (), "", count, count, 0)


def proved(before: Simulated, after: Simulated, differs: Difference | None = None, training: Training = SAME) -> Proof:
    runs = replace(run("1", "1", "1"), simulated=before), replace(run("1", "1", "1"), simulated=after)
    return proof(("commit 1", "the working tree"), runs, training, differs or Difference(), ())


def simulated() -> Simulated:
    found = run("1").simulated
    assert found is not None
    return found


def test_all_that_is_the_same_is_named() -> None:
    found = compared(run("1.5", "0.5"), run("1.5", "0.5"))
    assert (found.answer, found.losses) == (Answer.SAME, 2)
    assert found.sentence == "all 2 losses and the parameters after each of 2 steps are the same bit for bit"


def test_the_first_loss_that_differs_is_told_with_its_difference() -> None:
    found = compared(run("1.0", "0.5", "0.4"), run("1.0", "0.25", "0.1"))
    assert (found.answer, found.first_step) == (Answer.CHANGED, 2)
    assert found.loss is not None
    assert found.loss.relative == 0.5
    assert found.sentence.endswith("differ from step 2 on: 0.5 before the change, 0.25 after it, by 0.5 of it")


@pytest.mark.parametrize("last", ["nan", "inf"])
def test_a_loss_that_is_no_number_has_no_relative_difference(last: str) -> None:
    found = compared(run("1.0"), run(last))
    assert found.loss is not None
    assert found.loss.relative is None
    assert compared(run(last), run(last)).answer is Answer.SAME


def test_parameters_may_differ_before_losses_do() -> None:
    found = compared(run("1.0"), run("1.0", parameters="xy"))
    assert (found.answer, found.first_step) == (Answer.CHANGED, 1)
    assert "parameters differ from step 1 on, whose losses are the same" in found.sentence


def test_buffers_may_differ_at_the_end() -> None:
    found = compared(run("1.0"), run("1.0", state="xy"))
    assert found.answer is Answer.CHANGED
    assert "parameters or buffers differ after the last step" in found.sentence


def test_the_number_of_steps_is_a_change() -> None:
    found = compared(run("1.0", "0.5", ended=True), run("1.0", "0.5", "0.4"))
    assert (found.answer, found.first_step) == (Answer.CHANGED, 3)
    assert found.sentence == (
        "the training takes 2 steps before the change, and 3 or more steps after it; the first 2 are the same"
    )


@pytest.mark.parametrize(
    ("before", "after", "drawn"),
    [
        ((12, 3), (-12, 3), "12 random numbers on the GPU that were drawn on the CPU"),
        ((-12,), (6, 6), "12 random numbers on the CPU that were drawn on the GPU"),
        ((1, -1), (-1, 1), "1 random number on the GPU that were drawn on the CPU and 1 random number on the CPU"),
        ((-8,), (-4, -4), "those of the GPU by other calls than before"),
    ],
)
def test_numbers_that_another_generator_draws_are_others_on_a_gpu(
    before: tuple[int, ...], after: tuple[int, ...], drawn: str
) -> None:
    found = compared(run("1.0", drawn=before), run("1.0", drawn=after))
    assert (found.answer, found.first_step) == (Answer.CHANGED, 1)
    assert found.sentence.startswith(f"step 1 draws {drawn}")
    assert "a real GPU has a generator of its own" in found.sentence


def test_numbers_that_the_host_draws_in_other_groups_are_the_same() -> None:
    assert compared(run("1.0", drawn=(8, -2)), run("1.0", drawn=(4, 4, -2))).answer is Answer.SAME


def test_what_was_not_seen_is_not_called_the_same() -> None:
    no_loss = compared(run("", ""), run("", ""))
    assert (no_loss.answer, no_loss.sentence) == (Answer.UNKNOWN, "no loss was seen; the parameters are the same")
    no_optimizer = compared(run("1.0", parameters="", state=""), run("1.0", parameters="", state=""))
    assert no_optimizer.answer is Answer.UNKNOWN
    assert no_optimizer.sentence == "no parameter was seen; the losses are the same"


def test_a_script_that_differs_from_itself_tells_nothing_from_then_on() -> None:
    before, after = run("1.0", "0.5", "0.4"), run("1.0", "0.5", "0.3")
    found = compared(before, after)
    assert with_noise(found, compared(before, before)) == found
    earlier = with_noise(found, compared(before, run("1.0", "0.6", "0.4")))
    assert earlier.answer is Answer.UNKNOWN
    assert earlier.sentence.startswith("two runs without the change do not compute the same: the losses differ from")
    sooner = compared(before, run("2.0", "0.5", "0.3"))
    assert with_noise(sooner, compared(before, run("1.0", "0.6", "0.4"))).answer is Answer.CHANGED


def test_another_number_of_processes_is_a_change() -> None:
    assert compare([run("1.0")] * 2, [run("1.0")]).answer is Answer.CHANGED
    assert compare([run("1.0")] * 2, [run("1.0"), run("2.0")]).answer is Answer.CHANGED


class TestWorse:
    """What makes the exit code 1 though the training is the same."""

    def test_more_waits(self) -> None:
        found = proved(simulated(), replace(simulated(), events=(wait(3),)))
        assert found.worse == ("the CPU waits 1 times a step instead of 0, blocking copies included",)
        assert exit_code(found, allows_changed_losses=True) == 1

    def test_more_memory_than_a_kept_loss_takes(self) -> None:
        assert proved(simulated(), replace(simulated(), peak=(1512,))).worse == ()
        (words,) = proved(simulated(), replace(simulated(), peak=(20_000_000,))).worse
        assert words == "the peak of memory grows from 1 kB to 20 MB"

    def test_a_step_that_is_slower_at_every_corner(self) -> None:
        assert proved(simulated(), replace(simulated(), corners_ms=(0.9, 3, 2, 3))).worse == ()
        (words,) = proved(simulated(), replace(simulated(), corners_ms=(2, 3, 2, 3), step_ms=Interval(2, 3))).worse
        assert words == "a step takes 2 to 3 ms instead of 1 to 2 ms"


@pytest.mark.parametrize(
    ("answer", "code", "code_where_allowed"),
    [(Answer.SAME, 0, 0), (Answer.CHANGED, 1, 0), (Answer.UNKNOWN, 2, 2)],
)
def test_exit_codes(answer: Answer, code: int, code_where_allowed: int) -> None:
    found = proved(simulated(), simulated(), training=replace(SAME, answer=answer))
    assert exit_code(found, allows_changed_losses=False) == code
    assert exit_code(found, allows_changed_losses=True) == code_where_allowed


BEFORE = """\
import torch
model = make()
for batch in batches:
    loss = model(batch)
    print(loss.item())
    total += loss.item()
"""


@pytest.fixture
def versions(tmp_path: Path) -> tuple[Version, Version]:
    """A file before and after a line was added above, and a wait was taken away."""
    after = BEFORE.replace("import torch\n", "import torch\n# explained\n").replace("    print(loss.item())\n", "")
    path = tmp_path / "train.py"
    path.write_text(BEFORE)
    return Version("before", tmp_path), Version("after", tmp_path, {str(path.resolve()): after.encode()})


def test_a_line_that_only_moved_is_not_told(versions: tuple[Version, Version]) -> None:
    differs = difference(*versions, ["train.py"])
    found = proved(replace(simulated(), events=(wait(5), wait(6))), replace(simulated(), events=(wait(6),)), differs)
    (change,) = found.lines
    assert (change.at.line, change.before, change.after) == (5, 1, 0)


def test_lines_have_the_numbers_of_the_file_that_the_user_has(tmp_path: Path) -> None:
    path, old = tmp_path / "train.py", tmp_path / "old/train.py"
    old.parent.mkdir()
    after = BEFORE.replace("import torch\n", "import os\nimport torch\n") + "    wait_more()\n"
    path.write_text(BEFORE)
    fixed = Version("with fixes", tmp_path, {str(path.resolve()): after.encode()})
    runs = replace(simulated(), events=(wait(5),)), replace(simulated(), events=(wait(6, 4), wait(8)))
    found = proved(*runs, difference(Version("without", tmp_path), fixed, ["train.py"]))
    assert [(change.at.line, change.only) for change in found.lines] == [(5, ""), (8, "after")]
    assert "appeared: wait at train.py:8 (after the change), Tensor.item, 0 → 1 a step" in render(found, Style(200))
    path.write_text(after)
    old.write_text(BEFORE)
    found = proved(*runs, difference(Version("old", old.parent), Version("new", tmp_path), ["train.py"]))
    assert [(change.at.line, change.only) for change in found.lines] == [(6, ""), (8, "")]


def test_a_changed_place_counts_as_run_where_either_version_came_by(versions: tuple[Version, Version]) -> None:
    differs = difference(*versions, ["train.py"])
    assert differs.hunks == 1  # the comment is none
    assert differs.not_run({}, {}) == ("train.py:5",)
    assert differs.not_run({"train.py": (5,)}, {}) == ()


def test_files_are_named_from_the_root_on_whatever_directory_a_run_names_them_from(tmp_path: Path) -> None:
    version = Version("before", tmp_path)
    assert version.below("train.py", tmp_path / "sub") == "sub/train.py"
    assert version.below(f"{tmp_path}/sub/../lib/util.py", tmp_path / "sub") == "lib/util.py"
    assert version.below("/elsewhere/torch/nn.py", tmp_path / "sub") == "/elsewhere/torch/nn.py"
    assert version.below("", tmp_path / "sub") == ""


def test_what_an_import_runs_counts_as_run(tmp_path: Path) -> None:
    path = tmp_path / "sizes.py"
    path.write_text("SIZE = 1\n\n\ndef unused():\n    return 1\n")
    changed = b"SIZE = 2\n\n\ndef unused():\n    return 2\n"
    versions = Version("before", tmp_path), Version("after", tmp_path, {str(path.resolve()): changed})
    assert difference(*versions, ["sizes.py"]).not_run({}, {}) == ("sizes.py:5",)


def test_the_report_has_a_table_and_ends_with_a_line_for_a_commit() -> None:
    text = render(proved(replace(simulated(), events=(wait(3),)), simulated()), Style())
    lines = text.splitlines()
    assert ["waits", "a", "step", "1", "0"] in [line.split() for line in lines]
    assert "vanished: wait at train.py:3, Tensor.item, 1 → 0 a step" in lines
    assert lines[-1] == (
        "trainlint prove (simulated NVIDIA H100): waits 1 → 0; losses and parameters bit-identical over 3 steps"
    )
