"""Waits for the whole device: which calls are some, and what they may be for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.analysis.conditions.subjects import Subject, asks_about
from trainlint.analysis.effects import reads
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name
from trainlint.analysis.tables.host_reads import SYNCHRONIZE_ORIGINS, WAITING_TO_HOST
from trainlint.analysis.types.values import Kind
from trainlint.contract.guard import guard
from trainlint.patterns import lazy

_LETS_GO = lazy(r"(^|_)(release|free|reset|teardown|destroy|offload|onload|swap|capture|warm_?up)($|_)", re.IGNORECASE)
_PAIRWISE = ("batch_isend_irecv", "isend", "irecv", "P2POp")
_WAITING = (*SYNCHRONIZE_ORIGINS, "torch.cuda.current_stream")


def waits_for_device(site: Site) -> bool:
    """Whether a call of something named `synchronize` waits for the device."""
    origin = site.origin(site.call.func)
    if origin is not None:
        return origin.startswith(_WAITING)
    owner = getattr(site.call.func, "value", None)
    if owner is None:
        return False
    return site.value(owner).kind is Kind.STREAM or last_name(owner) in ("current_stream", "get_accelerator")


def reads_besides(site: Site) -> bool:
    """Whether the same function reads a tensor to the host in the same step, and so waits there in any case."""
    device = site.file.device
    return any(reads.explicit_read(other.value(other.receiver), device) > 0 for other in other_reads(site))


def other_reads(site: Site) -> Iterator[Site]:
    """The other calls of the same function that may bring something to the host in a training step."""
    for other in site.calls(*WAITING_TO_HOST):
        is_other = other.call is not site.call and isinstance(other.call.func, ast.Attribute)
        if is_other and other.function is site.function and other.heat.heat.in_step:
            yield other


@guard
def _set_on_demand(site: Site) -> bool:
    """A test or a function decides whether the environment variable is set."""
    return isinstance(site.node, ast.Assign) and (site.function is not None or bool(site.conditions))


@guard
def _measured(site: Site) -> bool:
    """The code is a benchmark or a profiler."""
    return reads.is_measured(site.place, site.file)


@guard
def _captures_graph(site: Site) -> bool:
    """The function captures a CUDA graph, which needs an idle GPU."""
    return reads.captures_graph(site.place, site.file)


@guard
def _copied_before(site: Site) -> bool:
    """An asynchronous copy to the host comes before it."""
    return reads.asynchronous_copy_before(site.place, site.file)


@guard
def _lets_memory_go(site: Site) -> bool:
    """The function releases or swaps memory that kernels may still read, or warms up."""
    return site.function is not None and _LETS_GO.search(site.function.name) is not None


@guard
def _asked_for(site: Site) -> bool:
    """An option asks for the synchronisation."""
    return site.function is not None and asks_about(site.block, Subject.SYNCHRONIZATION)


@guard
def _exchanges_pairwise(site: Site) -> bool:
    """Ranks exchange tensors in pairs in the same function."""
    function = site.function
    return function is not None and any(call.block.within(function.body) for call in site.calls(*_PAIRWISE))


DUE = (_set_on_demand, _copied_before, _measured, _captures_graph, _lets_memory_go, _asked_for, _exchanges_pairwise)
"""Reasons for which a program may wait for the whole device."""
