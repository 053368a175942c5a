"""Copies and reads of device tensors by a method, which the host waits for."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.effects.python_reads import python_reads
from trainlint.analysis.effects.reads import explicit_read
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name
from trainlint.analysis.tables.host_reads import COPIES, ITEM
from trainlint.analysis.types.values import Home, Kind
from trainlint.contract.confidence import level
from trainlint.contract.declared_rule import Match

COPYING = (*sorted(f".{name}" for name in COPIES), ".to")
"""What copies whole tensors, in the notation of `CallRule.on`."""
READING = (*COPYING, f".{ITEM.name}")


def copy_to_host(site: Site) -> Match | None:
    """The call of a method of `COPYING` on what may be a device tensor; None for copies to elsewhere."""
    sure = _sure_of_copy(site)
    return Match(site, level(sure)) if sure else None


def host_reads(site: Site, methods: tuple[str, ...]) -> Iterator[tuple[ast.AST, float]]:
    """What the host reads at a place, with confidences: by one of these methods, or as a value of Python."""
    node = site.node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and f".{node.func.attr}" in methods:
        is_item = node.func.attr == ITEM.name
        sure = _sure_of_item(site) if is_item else _sure_of_copy(site)
        yield from [(node, sure)] if sure else []
    else:
        yield from ((part, sure) for part, sure, _ in python_reads(site))


def _sure_of_item(site: Site) -> float:
    return 0.0 if site.call.args else explicit_read(site.value(site.receiver), site.file.device)


def _sure_of_copy(site: Site) -> float:
    if last_name(site.call.func) == "to" and site.file.kinds.device_argument(site.call, site.block) is not Home.HOST:
        return 0.0
    value = site.value(site.receiver)
    return 0.0 if value.kind is Kind.UNKNOWN else explicit_read(value, site.file.device)
