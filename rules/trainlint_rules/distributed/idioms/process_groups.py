"""Where process groups are started, and over which backend."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from trainlint.analysis.programs.wraps import wraps
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.names import argument, constant, has_unpacked_arguments, last_name
from trainlint.analysis.syntax.reaching import single_value
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.analysis.tables.parallel import Wrapper
from trainlint.contract.guard import guard

INIT_PROCESS_GROUP = frozenset(
    {"torch.distributed.init_process_group", "torch.distributed.distributed_c10d.init_process_group"}
)


@dataclass(frozen=True, slots=True, eq=False)
class GroupStart:
    """One call of `init_process_group` of torch."""

    call: ast.Call
    backend: str | None
    """In lower case, where it is written out, at the call or in the one assignment of a name; None for all else."""
    in_sight: bool
    """Whether all its arguments are written out."""


def group_start(file: SemanticModel, place: Place) -> GroupStart | None:
    """What a call of `init_process_group` starts; None for any other call."""
    call = place.node
    if not isinstance(call, ast.Call) or file.outline.imported(call.func, place.block) not in INIT_PROCESS_GROUP:
        return None
    given = argument(call, "backend", 0)
    if isinstance(given, ast.Name):
        given = single_value(given, place.block)
    backend = constant(given)
    return GroupStart(
        call,
        backend.lower() if isinstance(backend, str) else None,
        not has_unpacked_arguments(call),
    )


@guard
def started_by_framework(site: Site) -> bool:
    """A framework calls this code."""
    return any(use.kind is FactKind.FRAMEWORK for use in site.file.used_around)


@guard
def wraps_nothing_for_gpu(site: Site) -> bool:
    """Trainlint does not see the file wrap a model for a GPU."""
    for found in wraps(site.file):
        devices = argument(found.call, "device_ids", 1) if found.wrapper is Wrapper.DDP else None
        written = isinstance(devices, ast.List) and bool(devices.elts)
        if written or (isinstance(found.module, ast.Call) and last_name(found.module.func) == "cuda"):
            return False
    return True
