"""Operators of which PyTorch's sources say whether the host waits for them, so that a run without a wait refutes."""

from __future__ import annotations

from collections.abc import Iterable

from trainlint.analysis.tables.waits.operators import OPERATORS

_WAITING = frozenset(row.name.partition(".")[0] for row in OPERATORS)
"""Each row names its source, and under which circumstances it waits."""
_QUEUED: dict[str, str] = {
    "add": "BinaryOps.cpp",
}
"""Those that queue their work and return → the file below aten/src/ATen/native of PyTorch with their kernel."""


def are_checked(operators: Iterable[str]) -> bool:
    """Whether all of some operators were looked up."""
    return all(name in _WAITING or name in _QUEUED for name in operators)
