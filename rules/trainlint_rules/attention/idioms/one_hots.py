"""One-hot vectors, and products with them that pick rows of a table."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import How
from trainlint.analysis.syntax.names import argument, constant, dotted, has_unpacked_arguments, last_name, nodes_in
from trainlint.analysis.syntax.reaching import single_value
from trainlint.analysis.syntax.uses import assigned_target, loads
from trainlint.contract.guard import guard

ONE_HOT = "torch.nn.functional.one_hot"
_CASTS = frozenset({"float", "half", "bfloat16", "double", "to", "type", "type_as"})
_SHAPES = frozenset({"contiguous", "view", "reshape", "flatten"})
_PRODUCTS = frozenset({"matmul", "mm"})
_NEW = frozenset({"zeros", "new_zeros"})


class Product(NamedTuple):
    """A product whose left side is one-hot vectors."""

    node: ast.expr
    direct: bool
    """Whether the vectors are written in place there, and not under a name."""

    @property
    def table(self) -> ast.AST:
        """The right side."""
        return _sides(self.node)[1]

    @property
    def reshapes(self) -> bool:
        """Whether the vectors change their shape before."""
        calls = [part for part in nodes_in(_sides(self.node)[0] or self.node) if isinstance(part, ast.Call)]
        return any(last_name(part.func) in _SHAPES for part in calls)


@guard
def table_is_one_hot(product: Site) -> bool:
    """The table is one-hot itself."""
    names = [
        last_name(part) for part in nodes_in(_sides(product.node)[1]) if isinstance(part, ast.Name | ast.Attribute)
    ]
    return any("one_hot" in name or "onehot" in name for name in names)


def indices(site: Site) -> ast.expr | None:
    """What a call makes one-hot vectors of: `F.one_hot(ids)`, or `zeros.scatter_(1, ids, 1)`."""
    call = site.call
    if has_unpacked_arguments(call):
        return None
    if last_name(call.func) == "one_hot":
        return argument(call, "tensor", 0)
    value = argument(call, "value", 2) or argument(call, "src", 2)
    ones = constant(argument(call, "dim", 0)) in (1, -1) and constant(value) in (1, 1.0)
    index = argument(call, "index", 1)
    if not ones or argument(call, "reduce") is not None or index is None:
        return None
    if not _is_column(single_value(index, site.block) or index):
        return None
    return index if _is_new(site, site.receiver) else None


def products(site: Site) -> Iterator[Product]:
    """The products that the vectors of a call are the left side of."""
    if site.function is None:
        return
    call, root = site.call, site.function.node
    parents = {child: node for node in nodes_in(root) for child in ast.iter_child_nodes(node)}
    in_place = last_name(call.func) == "scatter_" and isinstance(parents.get(call), ast.Expr)
    if in_place and isinstance(call.func, ast.Attribute):
        name = dotted(call.func.value)
    else:
        vectors, around = _outermost(call, parents)
        product = _product(vectors, around)
        if product is not None:
            yield Product(product, direct=True)
        name = _only_name(site, vectors, around)
    for load, _ in loads(root, name) if name is not None else ():
        product = _product(*_outermost(load, parents)) if load.lineno >= call.lineno else None
        if product is not None:
            yield Product(product, direct=False)


def _is_column(index: ast.expr) -> bool:
    """Whether there is surely one index a row: with several, the product adds rows up."""
    match index:
        case ast.Call(func=ast.Attribute(attr="unsqueeze"), args=[dimension]):
            return constant(dimension) in (1, -1)
        case ast.Call(func=ast.Attribute(attr="view" | "reshape"), args=[_, last]):
            return constant(last) == 1
        case ast.Subscript(slice=ast.Tuple(elts=[ast.Slice(), last])):
            return constant(last) is None
        case ast.Call():
            return constant(argument(index, "keepdim")) is True
    return False


def _is_new(site: Site, node: ast.expr) -> bool:
    """Whether a value starts as zeros, and is nothing else in this function."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CASTS:
        node = node.func.value
    if isinstance(node, ast.Call):
        return last_name(node.func) in _NEW
    if not isinstance(node, ast.Name):
        return False
    bindings = site.block.scope.bindings.get(node.id, [])
    if len(bindings) != 1 or bindings[0].how is not How.ASSIGN or not isinstance(bindings[0].value, ast.Call):
        return False
    return not isinstance(bindings[0].value.func, ast.Name) and _is_new(site, bindings[0].value)


def _outermost(node: ast.expr, parents: dict[ast.AST, ast.AST]) -> tuple[ast.expr, ast.AST | None]:
    """A value behind its casts and changes of shape, and what stands around it."""
    while True:
        attribute = parents.get(node)
        around = parents.get(attribute) if isinstance(attribute, ast.Attribute) else None
        if not isinstance(attribute, ast.Attribute) or not isinstance(around, ast.Call) or around.func is not attribute:
            return node, attribute
        if attribute.attr in _PRODUCTS:
            return node, around
        if attribute.attr not in _CASTS and (attribute.attr not in _SHAPES or _flattens(around)):
            return node, attribute
        node = around


def _flattens(call: ast.Call) -> bool:
    """Whether a change of shape may break the one-hot rows up: all but `view(-1, entries)`."""
    return last_name(call.func) != "contiguous" and not (len(call.args) == 2 and constant(call.args[0]) == -1)


def _sides(product: ast.AST) -> tuple[ast.expr | None, ast.AST]:
    match product:
        case ast.BinOp(op=ast.MatMult(), left=left, right=right):
            return left, right
        case ast.Call(func=ast.Attribute(attr="matmul" | "mm", value=value), args=[right], keywords=[]):
            return value, right
        case ast.Call(func=ast.Attribute(attr="matmul" | "mm") | ast.Name(), args=[left, right], keywords=[]):
            return left, right
    return None, product


def _product(vectors: ast.expr, around: ast.AST | None) -> ast.expr | None:
    """What stands around the vectors, where that is their product with a table."""
    if not isinstance(around, ast.expr) or (isinstance(around, ast.Call) and last_name(around.func) not in _PRODUCTS):
        return None
    return around if _sides(around)[0] is vectors else None


def _only_name(site: Site, vectors: ast.expr, statement: ast.AST | None) -> str | None:
    """The name that a statement gives the vectors, where it means nothing else."""
    target = assigned_target(statement, vectors)
    if not isinstance(target, ast.Name) or len(site.block.scope.bindings.get(target.id, [])) != 1:
        return None
    return target.id
