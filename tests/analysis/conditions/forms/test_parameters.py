"""Parameters that are None by default: each call decides."""

from __future__ import annotations

from tests.analysis.conditions.reading import condition
from trainlint.analysis.conditions.condition import ConditionKind


def test_parameters() -> None:
    for test, passed in (("mask is not None", True), ("mask is None", False), ("not (mask is None)", True)):
        found = condition(test)
        assert (found.kind, found.name, found.value) == (ConditionKind.PARAMETER, "mask", passed)


def test_a_parameter_that_was_assigned_again_is_none() -> None:
    assert condition("mask is None", before="mask = make()").kind is ConditionKind.MISSING
