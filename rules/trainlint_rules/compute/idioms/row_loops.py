"""Loops that take a tensor apart row by row."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.names import constant, dotted, last_name, nodes_in, root_name
from trainlint.analysis.tables.host_reads import SIZED_BY_DATA, TO_PYTHON
from trainlint.analysis.types.values import Kind, Origin
from trainlint.contract.confidence import level
from trainlint.contract.guard import early_guard, guard
from trainlint.finding import Confidence
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.site import Site

_SEQUENCE = lazy(r"(^|_)(t|time|timestep|step|token|pos|layer|level|scale|depth)s?($|_)", re.IGNORECASE)
"""Names of what runs over a sequence, whose next item needs this one, or over parts of a network."""
_RAGGED = SIZED_BY_DATA | TO_PYTHON | frozenset("where nms topk split chunk multinomial append_".split())
_UNSURE = frozenset({Origin.NAME, Origin.BATCH})
_Stored = ast.Assign | ast.AugAssign | ast.Expr


@early_guard
def runs_seldom(site: Site) -> bool:
    """It runs neither in a forward nor in a training step."""
    function = site.function
    owner = function.owner if function is not None and function.name == "forward" else None
    in_forward = owner is not None and site.file.kinds.is_module_class(owner)
    return not in_forward and not site.heat.heat.in_step


@guard
def over_sequence(site: Site) -> bool:
    """The loop's counter is named for time steps, layers or scales."""
    loop = site.block.node
    return isinstance(loop, ast.For) and bool(_SEQUENCE.search(last_name(loop.target)))


@guard
def rounds_depend(site: Site) -> bool:
    """A round needs the result of the previous one, or does more than compute."""
    loop = site.block.node
    return not isinstance(loop, ast.For) or not _only_computes(loop) or bool(_read_first(loop) & _stored(loop))


@guard
def rows_differ(site: Site) -> bool:
    """Each row has its own length, mask, network or function."""
    loop = site.block.node
    assert isinstance(loop, ast.For)
    tensor = counted_tensor(loop)
    name = ast.unparse(tensor) if tensor is not None else ""
    return any(_differs_by_row(site, part, loop, name) for item in loop.body for part in nodes_in(item))


def counted_tensor(loop: ast.For) -> ast.expr | None:
    """The tensor whose rows a loop counts: `range(x.size(0))`, `range(x.shape[0])`; a list has only a length."""
    match loop.target, loop.iter:
        case ast.Name(), ast.Call(func=func, args=[count]) if last_name(func) == "range":
            tensor = _counted(count)
            return tensor if tensor is not None and dotted(tensor) is not None else None
    return None


def is_tensor_on_device(site: Site, node: ast.expr) -> bool:
    """Whether an expression is surely a tensor on the device, and not by its name only."""
    value = site.value(node)
    sure = value.on_device and level(value.confidence) >= Confidence.LIKELY and value.origin not in _UNSURE
    return sure and value.kind is Kind.TENSOR


def computes_with_rows(loop: ast.For, tensor: ast.expr) -> bool:
    """Whether rounds take a row and compute with something."""
    name = ast.unparse(tensor)
    parts = [part for statement in loop.body for part in nodes_in(statement)]
    rows = any(isinstance(part, ast.Subscript) and ast.unparse(part.value) == name for part in parts)
    calls = (part for part in parts if isinstance(part, ast.Call) and last_name(part.func) != "append")
    return rows and (any(isinstance(part, ast.BinOp) for part in parts) or any(True for _ in calls))


def _counted(count: ast.expr) -> ast.expr | None:
    match count:
        case ast.Call(func=ast.Attribute(attr="size", value=tensor), args=[place]) if constant(place) == 0:
            return tensor
        case ast.Subscript(value=ast.Attribute(attr="shape", value=tensor), slice=place) if constant(place) == 0:
            return tensor
    return None


def _only_computes(loop: ast.For) -> bool:
    return all(isinstance(statement, _Stored) for statement in loop.body)


def _stored(loop: ast.For) -> set[str]:
    assigned = (statement for statement in loop.body if isinstance(statement, ast.Assign))
    return {root_name(target) for statement in assigned for target in statement.targets}


def _read_first(loop: ast.For) -> set[str]:
    """The names that a round reads before it gives them a value."""
    first: set[str] = set()
    done: set[str] = set()
    for statement in loop.body:
        if isinstance(statement, _Stored):
            first |= {part.id for part in nodes_in(statement.value) if isinstance(part, ast.Name)} - done
        if isinstance(statement, ast.Assign):
            done |= {target.id for target in statement.targets if isinstance(target, ast.Name)}
    return first


def _differs_by_row(site: Site, part: ast.AST, loop: ast.For, tensor: str) -> bool:
    """Whether an expression takes something else of the tensor than the round's row, or may differ in size by row."""
    match part:
        case ast.Subscript(slice=index) if ast.unparse(part.value) == tensor:
            return not isinstance(index, ast.Name) or index.id != ast.unparse(loop.target)
        case ast.Slice(lower=lower, upper=upper):
            return lower is not None or upper is not None
        case ast.Call(func=func):
            return last_name(func) in _RAGGED or not _is_operation(site, part)
    return False


def _is_operation(site: Site, call: ast.Call) -> bool:
    """Whether a call is an operation of PyTorch on tensors, or puts a result into a list."""
    origin = site.origin(call.func)
    if origin is not None:
        return origin.startswith("torch.") and not last_name(call.func)[:1].isupper()
    if not isinstance(call.func, ast.Attribute):
        return False
    own = site.function is not None and root_name(call.func) == "self"
    return call.func.attr == "append" or (not own and site.value(call.func.value).is_tensor)
