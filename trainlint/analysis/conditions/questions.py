"""What rules ask of the conditions around a place."""

from __future__ import annotations

from collections.abc import Iterable

from trainlint.analysis.conditions.condition import Condition, ConditionKind


def is_on_some_ranks(conditions: Iterable[Condition]) -> bool:
    """Whether only some of the processes of a distributed job run the code."""
    return any(condition.kind is ConditionKind.RANK for condition in conditions)
