"""Copies of batches to the device: how sure they are ones, what excuses them, and whether they may go on alone."""

from __future__ import annotations

import ast

from trainlint.analysis.conditions.values.without_cuda import runs_without_cuda
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument
from trainlint.analysis.types.values import Home, Kind, Origin
from trainlint.contract.confidence import doubted
from trainlint.contract.guard import guard
from trainlint.finding import Confidence, Heat, Safety
from trainlint.patterns import lazy
from trainlint_rules.sync.idioms.copies import (
    Memory,
    file_names_other_accelerators,
    first_name,
    host_memory_is_reused,
    in_mover,
    in_own_to,
    is_surely_tensor,
)
from trainlint_rules.sync.idioms.dropped_moves import dropped_move

_BATCH = lazy(r"^(mini_?|micro_?)?batch$")


@guard
def elsewhere_than_cuda(site: Site) -> bool:
    """It runs only without CUDA, or the file makes its batches on the device."""
    return runs_without_cuda(site.file, site.block) or site.file.creates_on_device


@guard
def dropped(site: Site) -> bool:
    """The result of the move is dropped (TRN216)."""
    return bool(dropped_move(site.file, site.place))


@guard
def prepared(site: Site) -> bool:
    """A framework prepares the loader and copies its batches."""
    return any(site.file.batches.prepared(loader) for loader in site.file.batches.sources(site.receiver, site.block))


def sure_of_host_batch(site: Site, memory: Memory) -> Confidence | None:
    """How sure it is that this is a batch on the host; None where it surely is not."""
    batch, heat = site.receiver, site.heat.heat
    value = site.value(batch)
    known = value.is_tensor and value.origin is Origin.BATCH and value.home is Home.HOST
    named = value.kind is Kind.UNKNOWN and bool(_BATCH.match(first_name(site, batch)))
    moved = in_mover(site, batch)
    if not known and not named and not (moved and value.kind is not Kind.MODULE and not value.on_device):
        # In a `to` of its own, the object may as well be a result on its way to the host.
        return Confidence.LIKELY if heat.in_step and in_own_to(site, batch) else None
    if heat is Heat.UNKNOWN:
        return Confidence.LIKELY if moved else Confidence.POSSIBLE
    pageable = heat is Heat.EVAL_STEP and memory is Memory.PAGEABLE
    return doubted(named and not known, _follows_another(site), pageable)


def _follows_another(site: Site) -> bool:
    """Whether the target is another tensor's device, which may be the one that the batch is on already."""
    given = argument(site.call, "device", 0)
    return isinstance(given, ast.Attribute) and given.attr == "device" and site.value(given.value).is_tensor


def safety_without_waiting(site: Site) -> Safety:
    """Safe for what is surely a tensor whose host memory is left alone, on CUDA."""
    batch = site.receiver
    risky = host_memory_is_reused(site, batch) or file_names_other_accelerators(site.file)
    return Safety.SAFE if is_surely_tensor(site, batch) and not risky else Safety.UNSAFE
