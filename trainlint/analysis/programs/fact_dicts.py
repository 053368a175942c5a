"""What a configuration of DeepSpeed says that is written out as a dict."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.programs.fact_names import DEEPSPEED, DEEPSPEED_KEYS
from trainlint.analysis.syntax.names import constant
from trainlint.analysis.tables.fact_kinds import FactKind, Use


def of_dict(node: ast.Dict) -> Iterator[Use]:
    """All that a dict says."""
    entries = {constant(key): value for key, value in zip(node.keys, node.values, strict=True)}
    if not DEEPSPEED_KEYS.isdisjoint(entries):
        for key, kinds in DEEPSPEED.items():
            value = entries.get(key)
            if value is not None and constant(value) and not _disabled(value):
                yield from (Use(kind, "zero" if kind is FactKind.FSDP else "") for kind in kinds)


def _disabled(value: ast.expr) -> bool:
    """Whether a section of a configuration says that it is off."""
    if not isinstance(value, ast.Dict):
        return False
    return any(
        (constant(key), constant(item)) in (("enabled", False), ("stage", 0))
        for key, item in zip(value.keys, value.values, strict=True)
    )
