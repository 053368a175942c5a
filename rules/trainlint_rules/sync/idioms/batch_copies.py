"""Copies of batches to the device: what a step cuts from a host tensor, and which copies may go on alone."""

from __future__ import annotations

import ast

from trainlint.analysis.effects.host_memory.left_alone import is_surely_left_alone
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import BlockKind
from trainlint.analysis.syntax.names import nodes_in, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.types.values import Home, Kind, Value
from trainlint.finding import Safety
from trainlint_rules.sync.idioms.copies import copied, file_names_other_accelerators, is_surely_tensor

_SURE = 0.9
"""How well it must be known that a tensor lies on the host, where it is no batch of a loader."""


def _is_surely_on_host(value: Value) -> bool:
    return value.is_tensor and value.home is Home.HOST and value.confidence >= _SURE


def cut_from_host(site: Site, batch: ast.expr) -> bool:
    """Whether this is what the loop around cuts from a host tensor in each round, as in `corpus[:, i : i + length]`."""
    if not isinstance(batch, ast.Subscript) or not isinstance(batch.value, ast.Name):
        return False
    loop = next((outer for outer in site.block.outwards() if outer.kind is BlockKind.LOOP), None)
    if loop is None or not _is_surely_on_host(site.value(batch)):
        return False
    if any(item.block.within(loop) for item in reaching(batch.value.id, site.block, position(batch))):
        return False
    rounds = {part.id for part in nodes_in(getattr(loop.node, "target", loop.node)) if isinstance(part, ast.Name)}
    return any(
        isinstance(part, ast.Name) and part.id in rounds and site.value(part).kind is not Kind.STRING
        for part in nodes_in(batch.slice)
    )


def safety_without_waiting(site: Site) -> Safety:
    """Safe for what is surely a tensor, on CUDA, whose host memory is surely left alone."""
    batch = copied(site)
    if file_names_other_accelerators(site.file) or not is_surely_tensor(site, batch):
        return Safety.UNSAFE
    return Safety.SAFE if is_surely_left_alone(site.file, batch, site.place) else Safety.UNSAFE
