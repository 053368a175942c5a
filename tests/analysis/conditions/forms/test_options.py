"""Options of the program, which are on or off for a whole run."""

from __future__ import annotations

import pytest

from tests.analysis.conditions.reading import condition
from trainlint.analysis.conditions.condition import ConditionKind


@pytest.mark.parametrize(
    ("test", "name", "value"),
    [
        ("args.mixup", "mixup", True),
        ("not args.mixup", "mixup", False),
        ("args.mixup is not None", "mixup", True),
        ("args.mixup == 0", "mixup", False),
        ('getattr(args, "mixup", False)', "mixup", True),
        ("flip", "flip", True),
        ('args.get("mixup", False)', "mixup", True),
        ('not self.opt.get("mixup")', "mixup", False),
        ('config["mixup"]', "mixup", True),
        ("args.train_mixup", "train_mixup", True),
    ],
)
def test_options(test: str, name: str, value: bool) -> None:
    found = condition(test, before="flip = args.flip")
    assert (found.kind, found.name, found.value) == (ConditionKind.OPTION, name, value)
    assert not found.rare
    assert not found.is_unknown


def test_what_a_run_worth_tuning_sets_is_not_asked_for_its_default() -> None:
    assert condition("args.amp").value is None


def test_constants_of_the_file_are_options() -> None:
    assert condition("NEW_LOSS", top="NEW_LOSS = False").kind is ConditionKind.OPTION
