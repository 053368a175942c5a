"""Blocking copies of one batch: what a loop draws at once, or a function is given at once, is one cause."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, How, Place
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import last_name, position, root_name
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.tables.waits.device_copies import MOVING_TENSORS, SHARING
from trainlint.contract.guard import guard
from trainlint_rules.sync.idioms.batch_copies import dropped, elsewhere_than_cuda, prepared, sure_of_wait
from trainlint_rules.sync.idioms.copies import copied
from trainlint_rules.sync.idioms.picked_rows import index_of, picked_rows

_NAMES = frozenset(name.rpartition(".")[2] for name in MOVING_TENSORS)
_DEEPEST = 4


@guard
def reported_at_first_copy(site: Site) -> bool:
    """The finding about an earlier copy of the same batch names this place too."""
    others = copies_of_batch(site.file, site.call, site.block, site.statement)
    return bool(others) and _call_position(others[0]) < position(site.call)


@once
def copies_of_batch(file: SemanticModel, call: ast.Call, block: Block, statement: ast.stmt) -> tuple[Place, ...]:
    """The other blocking copies of what a call copies a part of, in the same function, in order."""
    site = Site(file, Place(call, block, statement))
    source = _source_of(site)
    if source is None:
        return ()
    copies = (Site(file, place) for place in _copies_by_source(file).get(source, ()) if place.node is not call)
    return tuple(sorted((other.place for other in copies if _is_alike(site, other)), key=_call_position))


@once
def _copies_by_source(file: SemanticModel) -> Mapping[ast.AST, Sequence[Place]]:
    """What brings a batch → the calls that copy parts of it."""
    found: dict[ast.AST, list[Place]] = {}
    for place in file.outline.all_calls():
        site = Site(file, place)
        if last_name(site.call.func) in _NAMES and _may_copy(site):
            source = _source_of(site)
            if source is not None:
                found.setdefault(source, []).append(place)
    return found


def _may_copy(site: Site) -> bool:
    """Whether a call of such a name is one of PyTorch's functions that copy, or a method."""
    origin = site.origin(site.call.func)
    return isinstance(site.call.func, ast.Attribute) if origin is None else origin in SHARING


def _call_position(place: Place) -> tuple[int, int]:
    assert isinstance(place.node, ast.Call)
    return position(place.node)


def _is_alike(site: Site, other: Site) -> bool:
    """Whether another call copies a batch and waits for that, as often and as surely as this one."""
    if other.function is not site.function or other.heat.heat is not site.heat.heat:
        return False
    if any(reason.holds(other) for reason in (elsewhere_than_cuda, dropped, prepared)):
        return False
    return sure_of_wait(other) is not None and sure_of_wait(other) is sure_of_wait(site)


def _source_of(site: Site) -> ast.AST | None:
    """What brings the batch that a call copies a part of; None where that is not sure."""
    rows = picked_rows(site, copied(site))
    return index_of(rows, site) if rows is not None else _source(copied(site), site.block)


def _source(node: ast.expr, block: Block, depth: int = 0) -> ast.AST | None:
    """The loop, function or assignment that brings the batch which a name is a part of; None where that is not sure."""
    name = root_name(node)
    bindings = reaching(name, block, position(node)) if name and depth < _DEEPEST else []
    if len(bindings) != 1:
        return None
    (binding,) = bindings
    if binding.how is How.PARAMETER:
        return binding.block.node
    if binding.how not in (How.FOR, How.ASSIGN) or binding.value is None:
        return None
    if binding.how is How.FOR and not _goes_through_batch(binding.value, binding.block):
        return binding.value
    further = _source(binding.value, binding.block, depth + 1)
    of_function = isinstance(further, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    return binding.value if further is None or of_function else further


def _goes_through_batch(iterated: ast.expr, block: Block) -> bool:
    """Whether a loop goes through what an outer loop has drawn, as in `for part in batch`."""
    name = root_name(iterated)
    bindings = reaching(name, block, position(iterated)) if name else []
    return bool(bindings) and all(item.how is How.FOR and item.block is not block for item in bindings)
