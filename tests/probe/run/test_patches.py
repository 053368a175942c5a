"""What stands in the place of PyTorch's functions, and what it leaves alone."""

from __future__ import annotations

import pytest
import torch

from tests.probe.run.running import Runner, only
from trainlint_probe.watch.calls import _is_cpu
from trainlint_probe.watch.patches import Patches


class Owner:
    """Something whose method is watched."""

    def speak(self) -> str:
        return "plain"


class Heir(Owner):
    """Has the method from its base, as torch.Tensor has its own."""


@pytest.mark.parametrize("owner", [Owner, Heir])
def test_what_is_taken_out_is_gone(owner: type[Owner]) -> None:
    patches, before = Patches(), dict(vars(owner))
    patches.put(owner, "speak", lambda self: "watched")
    assert owner().speak() == "watched"
    patches.take_out()
    assert owner().speak() == "plain"
    assert vars(owner).keys() == before.keys()


def test_what_the_script_puts_over_ours_is_left_alone() -> None:
    patches = Patches()
    patches.put(Owner, "speak", lambda self: "watched")
    ours = Owner.speak
    Owner.speak = lambda self: "the script's"  # type: ignore[method-assign]  # as scripts do
    patches.take_out()
    assert Owner().speak() == "the script's"
    Owner.speak = ours  # type: ignore[method-assign]  # as it was
    patches.take_out()
    assert Owner().speak() == "plain"


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
