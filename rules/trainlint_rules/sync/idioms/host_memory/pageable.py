"""Host tensors that lie outside of pinned memory, or not densely in it, by how they are made.

A loader with `pin_memory=True` pins what its `collate_fn` returns. Whatever the program computes from that on the host
lies in new, pageable memory.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from enum import Enum, auto

from trainlint.analysis.effects.creations import ALL as FACTORIES
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.syntax.blocks import Block, How
from trainlint.analysis.syntax.names import argument, constant, last_name, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.types.batches import passed
from trainlint.analysis.types.values import Home, Kind
from trainlint_rules.sync.idioms.copies import CASTS

_JOINS = frozenset({"cat", "concat", "concatenate", "stack", "hstack", "vstack"})
_COPIES = frozenset({"clone", "index_select", "gather", "masked_select", "repeat"})
_VIEWS = frozenset(
    "view reshape unsqueeze squeeze flatten detach requires_grad_ contiguous permute transpose t".split()
)
"""Methods whose results lie in the same memory, as far as is known."""
_PINS = "pin_memory"
_DEEPEST = 6


class Why(Enum):
    """Why a tensor does not lie in pinned memory."""

    CAST = auto()
    INDEX = auto()
    SLICE = auto()
    """It lies there, but with gaps: it is copied to pageable memory first."""
    JOIN = auto()
    COMPUTED = auto()
    MADE = auto()


@dataclass(frozen=True, slots=True, eq=False)
class Pageable:
    """The expression that takes a tensor out of pinned memory."""

    node: ast.expr
    why: Why


def pageable(file: SemanticModel, node: ast.expr, block: Block, depth: int = 0) -> Pageable | None:
    """What leaves a host tensor outside of pinned memory; None where it may be pinned, or lies elsewhere."""
    if depth > _DEEPEST:
        return None
    match node:
        case ast.Name():
            return _pageable_of_name(file, node, block, depth)
        case ast.Subscript():
            return _indexed(file, node, block, depth)
        case ast.BinOp():
            value = file.kinds.of(node, block)
            return Pageable(node, Why.COMPUTED) if value.is_tensor and value.home is Home.HOST else None
        case ast.Call():
            return _called(file, node, block, depth)
    return None


def _pageable_of_name(file: SemanticModel, node: ast.Name, block: Block, depth: int) -> Pageable | None:
    """The answer for a name: that of all that may be assigned to it, or that callers pass."""
    bindings = reaching(node.id, block, position(node))
    found = []
    for binding in bindings:
        if binding.how is How.PARAMETER:
            function = file.outline.function_of.get(binding.block.node)
            given = list(passed(file.graph, function, binding.name)) if function is not None else []
            found += [pageable(file, item, around, depth + 1) for item, around in given] or [None]
        elif binding.how is How.ASSIGN and binding.value is not None and not binding.path:
            found.append(pageable(file, binding.value, binding.block, depth + 1))
        else:
            found.append(None)
    return None if None in found or not found else found[0]


def _indexed(file: SemanticModel, node: ast.Subscript, block: Block, depth: int) -> Pageable | None:
    if isinstance(constant(node.slice), str) or file.kinds.of(node.value, block).kind is Kind.CONTAINER:
        return None  # a part of a batch
    for place, part in enumerate(node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]):
        bounds = (part.lower, part.upper, part.step) if isinstance(part, ast.Slice) else ()
        if place > 0 and any(bound is not None for bound in bounds):
            return Pageable(node, Why.SLICE)
        picks = isinstance(part, ast.List | ast.Compare) or file.kinds.of(part, block).kind in (Kind.TENSOR, Kind.ARRAY)
        if picks:
            return Pageable(node, Why.INDEX)
    return pageable(file, node.value, block, depth + 1)


def _called(file: SemanticModel, call: ast.Call, block: Block, depth: int) -> Pageable | None:
    name, origin = last_name(call.func), file.kinds.imported(call.func, block)
    if name == _PINS or constant(argument(call, _PINS)) is True:
        return None
    if origin is not None:
        return _made_by_torch(call, name) if origin.startswith("torch.") else None
    edge = file.graph.callee.get(call)
    if edge is not None:
        return _returned(file, call, depth)
    if not isinstance(call.func, ast.Attribute):
        return None
    if name in CASTS or (name in ("to", "type") and _is_cast(file, call, block)):
        return Pageable(call, Why.CAST)
    if name in _COPIES:
        return Pageable(call, Why.INDEX if name != "clone" else Why.COMPUTED)
    return pageable(file, call.func.value, block, depth + 1) if name in _VIEWS else None


def _made_by_torch(call: ast.Call, name: str) -> Pageable | None:
    if argument(call, "out") is not None:
        return None
    return Pageable(call, Why.JOIN) if name in _JOINS else Pageable(call, Why.MADE) if name in FACTORIES else None


def _is_cast(file: SemanticModel, call: ast.Call, block: Block) -> bool:
    """Whether a call is given a dtype and no device."""
    return len(call.args) == 1 and not call.keywords and file.kinds.of(call.args[0], block).kind is Kind.DTYPE


def _returned(file: SemanticModel, call: ast.Call, depth: int) -> Pageable | None:
    """The answer for what a function of the file returns, if it is the same for all of that."""
    function = file.graph.callee[call].function
    if function.is_generator:
        return None
    found = [
        pageable(file, place.node.value, place.block, depth + 1)
        for place in function.returns
        if isinstance(place.node, ast.Return) and place.node.value is not None
    ]
    return None if None in found or not found else found[0]
