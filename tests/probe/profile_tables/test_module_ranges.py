"""The ranges around calls of modules: how they are named, and that they end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import nn

from trainlint_probe.traces.places import MODULE
from trainlint_probe.watch.afterwards import module_ranges
from trainlint_probe.watch.afterwards.module_ranges import ModuleRanges

SEEN: list[str] = []
"""What was opened, and with a minus what was closed, in the order of both."""


class Range:
    """Stands in for PyTorch's `record_function`, which tells nobody but the profiler."""

    def __init__(self, name: str) -> None:
        self.name = name.removeprefix(MODULE)

    def __enter__(self) -> None:
        SEEN.append(self.name)

    def __exit__(self, *error: object) -> None:
        SEEN.append(f"-{self.name}")


@pytest.fixture
def ranges(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleRanges]:
    monkeypatch.setattr(module_ranges, "record_function", Range)
    SEEN.clear()
    made = ModuleRanges()
    made.start()
    yield made
    made.stop()


class Holds(nn.Module):  # type: ignore[misc]  # mypy does not read torch
    """Has a part that PyTorch knows of, and calls another that it does not."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(2, 2)])
        self.others = [nn.Sigmoid()]

    def forward(self, x: Any) -> Any:
        return self.others[0](self.layers[0](x))


def test_modules_are_named_from_the_outermost_one(ranges: ModuleRanges) -> None:
    Holds()(torch.ones(1, 2))
    assert SEEN == [
        "Holds", "Holds.layers.0", "-Holds.layers.0", "Holds.(Sigmoid)", "-Holds.(Sigmoid)", "-Holds",
    ]  # fmt: skip


def test_two_models_of_one_class_have_two_names(ranges: ModuleRanges) -> None:
    first, second = nn.Linear(2, 2), nn.Linear(2, 2)
    for module in (first, second, first):
        module(torch.ones(1, 2))
    assert SEEN[::2] == ["Linear", "Linear#2", "Linear"]


class Fails(nn.Module):  # type: ignore[misc]  # mypy does not read torch
    def forward(self, x: Any) -> Any:
        raise ValueError


def test_a_module_that_fails_closes_its_range(ranges: ModuleRanges) -> None:
    model = nn.Sequential(Fails())
    with pytest.raises(ValueError, match=r"^$"):
        model(torch.ones(1))
    assert SEEN == ["Sequential", "Sequential.0", "-Sequential.0", "-Sequential"]


def test_after_the_end_no_call_has_a_range(ranges: ModuleRanges) -> None:
    ranges.stop()
    nn.Linear(2, 2)(torch.ones(1, 2))
    assert SEEN == []
