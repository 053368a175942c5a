"""What rules ask of the conditions around a place."""

from __future__ import annotations

from collections.abc import Iterable

from trainlint.analysis.conditions.condition import Condition, ConditionKind


def runs_where_missing(conditions: Iterable[Condition]) -> bool:
    """Whether code runs rarely, or where something is missing, empty or was not passed.

    For rules on what is created: what stands in for something missing is mostly made once, and kept.
    """
    return any(
        condition.rare
        or condition.kind is ConditionKind.MISSING
        or (condition.kind is ConditionKind.PARAMETER and condition.value is False)
        for condition in conditions
    )


def is_on_some_ranks(conditions: Iterable[Condition]) -> bool:
    """Whether only some of the processes of a distributed job run the code."""
    return any(condition.kind is ConditionKind.RANK for condition in conditions)
