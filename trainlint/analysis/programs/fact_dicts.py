"""What a dict that is written out says: a configuration of DeepSpeed, or keywords kept for a loader or an optimizer."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.programs.fact_calls import FoundKind
from trainlint.analysis.programs.fact_names import DEEPSPEED, DEEPSPEED_KEYS
from trainlint.analysis.syntax.names import constant
from trainlint.analysis.tables.fact_kinds import FactKind

OPTIONS = {"fused": FactKind.FUSED_OPTIMIZER}
"""Keywords that are often kept in a dict until they are used."""
_BESIDES = frozenset(
    "lr betas weight_decay batch_size num_workers shuffle sampler batch_sampler collate_fn drop_last "
    "persistent_workers prefetch_factor".split()
)
"""Keywords that stand beside them; another dict may speak of anything."""
_DETAILS = {FactKind.FSDP: "zero", FactKind.AUTOCAST: "deepspeed"}


def of_dict(node: ast.Dict) -> Iterator[tuple[FoundKind, ast.expr]]:
    """All that a dict says, each with the value that says it."""
    yield from _configured(node)
    yield from _options(node)


def _configured(node: ast.Dict) -> Iterator[tuple[FoundKind, ast.expr]]:
    """What a configuration of DeepSpeed switches on."""
    entries = {constant(key): value for key, value in zip(node.keys, node.values, strict=True)}
    if DEEPSPEED_KEYS.isdisjoint(entries):
        return
    for key, kinds in DEEPSPEED.items():
        value = entries.get(key)
        if value is None or not constant(value) or _disabled(value):
            continue
        for kind in kinds:
            yield (kind, _DETAILS.get(kind, "")), value


def _options(node: ast.Dict) -> Iterator[tuple[FoundKind, ast.expr]]:
    """What a dict of keywords switches on wherever it is unpacked."""
    entries = {constant(key): value for key, value in zip(node.keys, node.values, strict=True)}
    if _BESIDES.isdisjoint(entries) and len(entries) > 1:
        return
    for key, kind in OPTIONS.items():
        if key in entries and constant(entries[key]) is not False:
            yield (kind, ""), entries[key]


def _disabled(value: ast.expr) -> bool:
    """Whether a section of a configuration says that it is off."""
    if not isinstance(value, ast.Dict):
        return False
    return any(
        (constant(key), constant(item)) in (("enabled", False), ("stage", 0))
        for key, item in zip(value.keys, value.values, strict=True)
    )
