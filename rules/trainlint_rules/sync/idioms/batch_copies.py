"""Copies of batches to the device: how sure they are ones, what excuses them, and whether they may go on alone."""

from __future__ import annotations

import ast

from trainlint.analysis.conditions.values.without_cuda import runs_without_cuda
from trainlint.analysis.effects.host_memory.left_alone import is_surely_left_alone
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import BlockKind
from trainlint.analysis.syntax.names import argument, nodes_in, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.types.values import Home, Kind, Origin, Value
from trainlint.contract.confidence import doubted
from trainlint.contract.guard import guard
from trainlint.finding import Confidence, Heat, Safety
from trainlint.patterns import lazy
from trainlint_rules.sync.idioms.copies import (
    Memory,
    copied,
    copies_argument,
    copies_to_cuda,
    file_names_other_accelerators,
    first_name,
    in_mover,
    in_own_to,
    is_surely_tensor,
    memory_of,
    says_whether_to_wait,
)
from trainlint_rules.sync.idioms.dropped_moves import dropped_move
from trainlint_rules.sync.idioms.picked_rows import picked_rows

_SURE = 0.9
"""How well it must be known that a tensor lies on the host, where it is no batch of a loader."""
_BATCH = lazy(r"^(mini_?|micro_?)?batch$")


@guard
def elsewhere_than_cuda(site: Site) -> bool:
    """It runs only without CUDA, or the file creates its batches on the GPU."""
    return runs_without_cuda(site.file, site.block) or site.file.creates_on_device


@guard
def dropped(site: Site) -> bool:
    """The result of the move is dropped (TRN216)."""
    return not copies_argument(site) and bool(dropped_move(site.file, site.place))


@guard
def prepared(site: Site) -> bool:
    """A framework prepares the loader and copies its batches."""
    return any(site.file.batches.prepared(loader) for loader in site.file.batches.sources(copied(site), site.block))


def sure_of_wait(site: Site) -> Confidence | None:
    """How sure it is that a call copies a batch to CUDA, and that the host waits for it; None where it does not."""
    if says_whether_to_wait(site) or not copies_to_cuda(site):
        return None
    return sure_of_host_batch(site, memory_of(site, copied(site)))


def sure_of_host_batch(site: Site, memory: Memory) -> Confidence | None:
    """How sure it is that this is a batch on the host; None where it surely is not."""
    batch, heat = copied(site), site.heat.heat
    value = site.value(batch)
    known = _is_host_batch(value)
    if heat.in_step and (cut_from_host(site, batch) or picked_rows(site, batch) is not None):
        return Confidence.LIKELY
    named = value.kind is Kind.UNKNOWN and bool(_BATCH.match(first_name(site, batch)))
    moved = in_mover(site, batch)
    if not (known or named or (moved and _may_be_batch(value))):
        # In a `to` of its own, the object may as well be a result, or lie on the device already.
        return Confidence.POSSIBLE if heat.in_step and in_own_to(site, batch) else None
    if heat is Heat.UNKNOWN:
        return Confidence.LIKELY if moved else Confidence.POSSIBLE
    pageable = heat is Heat.EVAL_STEP and memory is Memory.PAGEABLE
    return doubted(named and not known, _follows_another(site), pageable)


def _is_host_batch(value: Value) -> bool:
    return value.is_tensor and value.origin is Origin.BATCH and value.home is Home.HOST


def _may_be_batch(value: Value) -> bool:
    return value.kind is not Kind.MODULE and not value.on_device


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


def _follows_another(site: Site) -> bool:
    """Whether the target is another tensor's device, which may be the one that the batch is on already."""
    given = argument(site.call, "device", 0)
    return isinstance(given, ast.Attribute) and given.attr == "device" and site.value(given.value).is_tensor


def safety_without_waiting(site: Site) -> Safety:
    """Safe for what is surely a tensor, on CUDA, whose host memory is surely left alone."""
    batch = copied(site)
    if file_names_other_accelerators(site.file) or not is_surely_tensor(site, batch):
        return Safety.UNSAFE
    return Safety.SAFE if is_surely_left_alone(site.file, batch, site.place) else Safety.UNSAFE
