"""Attention that is written out: `softmax(q @ k.transpose(-2, -1) * scale + mask) @ v`, found from its softmax."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, Function, How, Place
from trainlint.analysis.syntax.names import argument, constant, last_name, nodes_in, position
from trainlint.analysis.syntax.outline import Outline
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.syntax.uses import loads
from trainlint.contract.guard import guard
from trainlint.patterns import lazy

_PRODUCTS = frozenset({"matmul", "bmm", "einsum", "mm"})
_TURNED = frozenset({"transpose", "permute", "swapaxes", "mT", "T", "t", "rearrange", "movedim", "unflatten"})
_KEEPING = frozenset(
    "to type type_as float half bfloat16 contiguous view reshape masked_fill masked_fill_ unsqueeze squeeze transpose "
    "permute swapaxes nan_to_num clone expand flatten unflatten movedim view_as div mul mul_ div_ add add_ sub".split()
)
"""Methods that leave scores, scaled and masked, scores, and probabilities probabilities."""
_DROPOUT = lazy(r"drop", re.IGNORECASE)
_LAYOUT = frozenset({"rearrange"})
_BIAS = lazy(r"bias|(\b|_)rel(_|\b|ative)|(\b|_)pos(_|\b|ition)|alibi|slope|rpe|table", re.IGNORECASE)
_LAST_DIMENSIONS = (-1, 2, 3)
"""What the last dimension is called in scores of three or four dimensions."""
_ASKED = frozenset({"shape", "dtype", "device", "size", "dim", "ndim"})
_DEEPEST = 12


@dataclass(frozen=True, slots=True, eq=False)
class WrittenAttention:
    """Both products of an attention, with the softmax between them."""

    softmax: ast.Call
    scores: ast.expr
    """The product of queries and keys."""
    outputs: tuple[ast.expr, ...]
    """The products of probabilities and values: one, or one in each branch."""
    biased: bool
    """Whether something other than a mask may be added to the scores, such as a bias for relative positions."""
    cosine: bool
    """Whether queries and keys are normalised at the product, as attention between channels does."""


def written_attention(file: SemanticModel, softmax: Place) -> WrittenAttention | None:
    """The attention around a softmax over the last dimension, if its probabilities have no other use; else None.

    The probabilities may be what a function of the file returns, or the forward of an autograd function.
    """
    outline = file.outline
    function = outline.enclosing(softmax.block)
    if function is None or not isinstance(softmax.node, ast.Call):
        return None
    scores = _softened(outline, function, softmax.node)
    if scores is None:
        return None
    flow = _Flow(file, function)
    product = flow.scores(scores, softmax.block, _DEEPEST)
    outputs = flow.products_of(softmax.node, softmax.block, _DEEPEST)
    if product is None or not outputs:
        return None
    cosine = sum(isinstance(part, ast.Call) and last_name(part.func) == "normalize" for part in nodes_in(product)) > 1
    return WrittenAttention(softmax.node, product, tuple(outputs), flow.biased, cosine)


@guard
def biased(site: Site) -> bool:
    """A relative position bias is added to the scores, which the fastest kernels do not support."""
    way = written_attention(site.file, site.place)
    return way is not None and way.biased


def _softened(outline: Outline, function: Function, node: ast.Call) -> ast.expr | None:
    """What a softmax over the last dimension is taken of."""
    module = node.func if isinstance(node.func, ast.Call) else _softmax_module(function, node.func)
    if module is not None:  # nn.Softmax(dim=-1)(scores), self.softmax(scores)
        dimension, given = argument(module, "dim", 0), node.args
    elif last_name(node.func) != "softmax":
        return None
    elif isinstance(node.func, ast.Attribute) and not _is_torch(outline, node.func):
        dimension, given = argument(node, "dim", 0), [node.func.value]
    else:
        dimension, given = argument(node, "dim", 1), node.args
    return given[0] if given and constant(dimension) in _LAST_DIMENSIONS else None


def _softmax_module(function: Function, called: ast.expr) -> ast.Call | None:
    """The `nn.Softmax(...)` that an attribute of the object holds."""
    if function.owner is None or not isinstance(called, ast.Attribute) or not isinstance(called.value, ast.Name):
        return None
    if called.value.id != "self":
        return None
    found = [binding.value for binding in function.owner.attributes.get(called.attr, ())]
    made = [value for value in found if isinstance(value, ast.Call) and last_name(value.func) == "Softmax"]
    return made[0] if len(made) == len(found) == 1 else None


def _is_torch(outline: Outline, function: ast.Attribute) -> bool:
    """Whether a softmax is that of an imported module, and not a method of a tensor."""
    return (outline.origin(function) or "").startswith("torch")


@lru_cache(maxsize=4)  # the softmaxes of a function are followed one after the other
def _parents(function: ast.AST) -> dict[ast.AST, ast.AST]:
    return {child: node for node in nodes_in(function) for child in ast.iter_child_nodes(node)}


class _Flow:
    """Where scores come from and where probabilities go, in one function."""

    def __init__(self, file: SemanticModel, function: Function) -> None:
        self.file = file
        self.outline = file.outline
        self.function = function
        self.biased = False

    def scores(self, node: ast.expr, block: Block, depth: int) -> ast.expr | None:
        """The product from which scores are made."""
        if depth == 0:
            return None
        if self._is_product(node, block):
            return node
        match node:
            case ast.BinOp(op=ast.Mult() | ast.Div() | ast.Add() | ast.Sub()):
                for side, other in ((node.left, node.right), (node.right, node.left)):
                    found = self.scores(side, block, depth - 1)
                    if found is not None:
                        if isinstance(node.op, ast.Add) and self._is_bias(other, block):
                            self.biased = True
                        return found
            case ast.Call(func=ast.Attribute(attr=name, value=value)) if name in _KEEPING:
                return self.scores(value, block, depth - 1)
            case ast.Call() if last_name(node.func) in ("where", "masked_fill"):
                return next((found for item in node.args if (found := self.scores(item, block, depth - 1))), None)
            case ast.Name():
                return self._bound_scores(node, block, depth)
        return None

    def _is_bias(self, node: ast.expr, block: Block) -> bool:
        """Whether what is added is called a bias, or is bound to something that is: `extra = self.biases[:, index]`."""
        if _BIAS.search(ast.unparse(node)):
            return True
        names = (part for part in nodes_in(node) if isinstance(part, ast.Name))
        bound = (item for part in names for item in reaching(part.id, block, position(part)))
        return any(
            item.how is How.ASSIGN and item.value is not None and _BIAS.search(ast.unparse(item.value)) is not None
            for item in bound
        )

    def _bound_scores(self, name: ast.Name, block: Block, depth: int) -> ast.expr | None:
        found, changed = None, False
        for binding in reaching(name.id, block, position(name)):
            if binding.how not in (How.ASSIGN, How.AUGMENT) or binding.value is None or binding.path:
                continue
            made = self.scores(binding.value, binding.block, depth - 1)
            found = made or found
            added = binding.how is How.AUGMENT and bool(_BIAS.search(ast.unparse(binding.value)))
            changed = changed or added or (made is None and _is_given(binding.value, name.id))
        if found is not None and changed:
            self.biased = True
        return found

    def _is_product(self, node: ast.expr, block: Block) -> bool:
        """Whether an expression multiplies queries with transposed keys."""
        match node:
            case ast.BinOp(op=ast.MatMult(), left=left, right=right):
                return self._is_turned(right, block) or self._is_turned(left, block)
            case ast.Call() if last_name(node.func) in ("einsum", "bmm"):
                return True
            case ast.Call() if last_name(node.func) in ("matmul", "baddbmm"):
                given = [*([node.func.value] if isinstance(node.func, ast.Attribute) else []), *node.args]
                return any(self._is_turned(item, block) for item in given)
        return False

    def _is_turned(self, node: ast.expr, block: Block, depth: int = 4) -> bool:
        for part in nodes_in(node):
            if isinstance(part, ast.Attribute) and part.attr in _TURNED:
                return True
            if isinstance(part, ast.Name):
                if part.id in _TURNED:
                    return True
                if depth:
                    for binding in reaching(part.id, block, position(part)):
                        if binding.how is How.ASSIGN and binding.value is not None:
                            if self._is_turned(binding.value, binding.block, depth - 1):
                                return True
        return False

    def products_of(self, node: ast.expr, block: Block, depth: int) -> list[ast.expr]:
        """The products that probabilities go into; none where they go anywhere else, too."""
        found: list[ast.expr] = []
        for use in self._uses(node, depth):
            if use is None:
                return []
            found.append(use)
        return found

    def _uses(self, node: ast.expr, depth: int) -> Iterator[ast.expr | None]:
        """Each product that a value goes into; None for any other use."""
        current: ast.AST = node
        parents = _parents(self.function.node)
        while True:
            parent = parents.get(current)
            match parent:
                case ast.BinOp() | ast.Call() if _multiplies(parent, current):
                    yield parent
                    return
                case ast.Call() if current in parent.args and self._keeps(parent.func):
                    current = parent
                case ast.Attribute(attr=name) if name in _ASKED:
                    return
                case ast.Attribute(attr=name) if name in _PRODUCTS:
                    current = parent
                    parent = parents.get(parent)
                    yield parent if isinstance(parent, ast.Call) else None
                    return
                case ast.Attribute(attr=name) if name in _KEEPING and isinstance(parents.get(parent), ast.Call):
                    current = parents[parent]
                case ast.Call(func=ast.Attribute(attr="save_for_backward")):
                    return
                case ast.Return() if depth:
                    yield from self._uses_of_result(depth)
                    return
                case ast.IfExp():
                    current = parent
                case ast.Assign(targets=[ast.Name(id=name)]) if depth:
                    yield from self._uses_of_name(name, parent, depth)
                    return
                case _:
                    yield None
                    return

    def _uses_of_result(self, depth: int) -> Iterator[ast.expr | None]:
        """The uses of what the function returns, in the functions of the file that call it."""
        calls = [edge.place for edge in self.file.graph.callers.get(self.function, ()) if not edge.passed]
        if self.function.owner is not None and self.function.name == "forward":
            calls += [
                place
                for place in self.outline.calls.get("apply", ())
                if isinstance(place.node, ast.Call)
                and isinstance(place.node.func, ast.Attribute)
                and last_name(place.node.func.value) == self.function.owner.name
            ]
        for place in calls:
            caller = self.outline.enclosing(place.block)
            if caller is None or caller is self.function or not isinstance(place.node, ast.Call):
                yield None
            else:
                products = _Flow(self.file, caller).products_of(place.node, place.block, depth - 1)
                yield from products
                if not products:
                    yield None

    def _uses_of_name(self, name: str, assigned: ast.Assign, depth: int) -> Iterator[ast.expr | None]:
        """The uses of a name that see what one statement assigns to it."""
        inside = set(nodes_in(assigned))
        for load, statement in loads(self.function.node, name):
            block = self.outline.block_of.get(statement)
            if block is None or load in inside:
                continue
            if any(binding.node is assigned for binding in reaching(name, block, position(load))):
                yield from self._uses(load, depth - 1)

    @staticmethod
    def _keeps(function: ast.expr) -> bool:
        name = last_name(function)
        return bool(_DROPOUT.search(name)) or name in _LAYOUT or name in _KEEPING


def _is_given(value: ast.expr, name: str) -> bool:
    """Whether an unknown function is given a name, whose value it may change in any way."""
    return isinstance(value, ast.Call) and any(isinstance(item, ast.Name) and item.id == name for item in value.args)


def _multiplies(node: ast.BinOp | ast.Call, factor: ast.AST) -> bool:
    """Whether an expression is a product of matrices with a factor."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.MatMult)
    return last_name(node.func) in _PRODUCTS and factor is not node.func
