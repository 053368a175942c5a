"""What watching costs is measured in the training itself: blocks of steps with everything in place, and without.

pytest tests/probe/run/test_overhead.py
"""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch

from tests.probe.run.running import SCRIPTS, Runner, only
from trainlint.evidence import Interval
from trainlint_probe.watch.afterwards.cost import blocks_for, differences, interval_of
from trainlint_probe.watch.calls import _is_cpu
from trainlint_probe.watch.patches import Patches


class Owner:
    """Something whose method is watched."""

    def speak(self) -> str:
        return "plain"


class Heir(Owner):
    """Has the method from its base, as torch.Tensor has its own."""


@pytest.mark.parametrize("owner", [Owner, Heir])
def test_what_is_taken_out_is_gone_and_comes_back(owner: type[Owner]) -> None:
    patches, before = Patches(), dict(vars(owner))
    patches.put(owner, "speak", lambda self: "watched")
    assert owner().speak() == "watched"
    patches.take_out()
    assert owner().speak() == "plain"
    assert vars(owner).keys() == before.keys()
    patches.put_back()
    assert owner().speak() == "watched"
    patches.take_out()


def test_what_the_script_puts_over_ours_is_left_alone() -> None:
    patches = Patches()
    patches.put(Owner, "speak", lambda self: "watched")
    ours = Owner.speak
    Owner.speak = lambda self: "the script's"  # type: ignore[method-assign]  # as scripts do
    patches.take_out()
    patches.put_back()
    assert Owner().speak() == "the script's"
    Owner.speak = ours  # type: ignore[method-assign]  # as it was
    patches.take_out()
    assert Owner().speak() == "plain"


def test_blocks_take_turns_and_end_in_place() -> None:
    switched: list[bool] = []
    found: list[float] = []
    steps = sum(differences(switched.append, 4, 3, found))
    assert steps == 4 * 2 * 3
    assert switched == [False, True, True, False, False, True, True, False, True]
    assert len(found) == 4


def test_blocks_that_are_broken_off_leave_everything_in_place() -> None:
    switched: list[bool] = []
    blocks = differences(switched.append, 4, 3, [])
    next(blocks)
    blocks.close()
    assert switched == [False, True]


def test_the_interval_is_that_of_student() -> None:
    assert interval_of([1.0] * 3) is None
    assert interval_of([0.5] * 6) == Interval(0.5, 0.5)
    found = interval_of([0.0, 1.0, 0.0, 1.0])
    assert found is not None
    assert (found.low, found.high) == pytest.approx((0.5 - 3.182 * 0.57735 / 2, 0.5 + 3.182 * 0.57735 / 2), abs=1e-3)


@pytest.mark.parametrize(("step_ms", "pairs"), [(1.0, 16), (30.0, 6), (200.0, 4), (2000.0, 0)])
def test_long_steps_are_measured_seldom_or_not_at_all(step_ms: float, pairs: int) -> None:
    assert blocks_for(step_ms)[0] == pairs


def test_a_training_goes_on_as_before_while_it_is_not_watched(runner: Runner) -> None:
    """The window knows nothing of the steps after it, and all that is taken out for some of them is back at the end."""
    run = only(runner.run("paced_for_long", steps=8))
    assert run.overhead is not None
    assert run.overhead.low <= run.overhead.high
    assert len(run.steps) == 8
    assert run.outcome == "window closed"


def test_what_a_library_asks_of_tensors_that_are_there_already_is_not_looked_into(runner: Runner) -> None:
    """Clipping asks for each norm on the device of the first: to find the user's line each time would add up."""
    run = only(runner.run("paced_for_long", steps=8))
    assert not [item for item in run.seen if item.what == "Tensor.to"]


@pytest.mark.parametrize(
    ("asked", "is_cpu"),
    [
        (("cpu",), True),
        ((torch.device("cpu"),), True),
        ((torch.ones(2),), True),
        (("cuda",), False),
        ((torch.device("meta"),), False),
        ((torch.ones(2, device="meta"),), False),
    ],
)
def test_where_a_tensor_is_asked_for_is_read_without_asking_it(asked: tuple[object, ...], is_cpu: bool) -> None:
    assert _is_cpu(asked, {}) is is_cpu
    assert _is_cpu((), {"other" if isinstance(asked[0], torch.Tensor) else "device": asked[0]}) is is_cpu


def test_a_script_that_ends_meanwhile_is_told_nothing_of_it(runner: Runner) -> None:
    """Of 14 steps, 10 are warm-up and window: the 4 that are left are too few to compare, however slow they are."""
    run = only(runner.run("paced", "14", warmup=2, warmup_limit=2, steps=8))
    assert run.overhead is None
    assert not [note for note in run.notes if "after the window" in note]


@pytest.mark.nightly
def test_the_overhead_that_is_told_is_what_the_script_would_save(runner: Runner) -> None:
    script = str(SCRIPTS / "timed_reads.py")
    alone, watched = runner.project / "alone", runner.project / "watched"
    ratios = []
    for _ in range(3):  # other work may slow one of the two down; it will not do so each time
        subprocess.run([sys.executable, script, str(alone)], check=True, timeout=120)
        run = only(runner.run("timed_reads", str(watched), warmup=5, warmup_limit=5, steps=45))
        assert run.overhead is not None
        told = (run.overhead.low + run.overhead.high) / 2
        ratios.append(told / (float(watched.read_text()) - float(alone.read_text())))
        if 1 / 2 < ratios[-1] < 2:
            break
    assert 1 / 2 < ratios[-1] < 2, ratios
