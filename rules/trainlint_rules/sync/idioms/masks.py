"""Which tensors are boolean masks: what counts is how they were made, then what they are called."""

from __future__ import annotations

import ast
import re

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.syntax.blocks import Binding, Block, How
from trainlint.analysis.syntax.names import argument, last_name, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.tables.host_reads import INTEGERS, TO_PYTHON
from trainlint.analysis.tables.iterables import counts_rounds, nests_items
from trainlint.analysis.types.values import Kind
from trainlint.patterns import lazy

_MADE = 1.0
_NAMED = 0.8
_MASK_NAME = lazy(r"(^|_)(mask|valid|keep|is_\w+)(s|ed)?($|_)", re.IGNORECASE)
_OTHER_NAME = lazy(r"(^|_)(i|id|ids|idx|ind|inds|index|indexes|indices|pos|positions?)($|_)", re.IGNORECASE)
"""Names of whole numbers that select: `mask_indices` gathers, and gathering waits for nothing."""
_MAKING = frozenset(
    "eq ne gt lt ge le isnan isinf isfinite isin isclose signbit logical_and logical_or logical_not logical_xor "
    "bool any all not_equal greater less greater_equal less_equal equal_to isneginf isposinf".split()
)
_PASSING = frozenset(
    "view reshape flatten squeeze unsqueeze expand expand_as view_as repeat permute transpose t contiguous clone "
    "detach to cuda roll flip chunk split unbind gather tril triu stack cat concat hstack vstack ones_like zeros_like "
    "empty_like rearrange".split()
)
"""What keeps the dtype of its first argument, or of all of a list of tensors."""
_TAKING_DTYPES = ("to", "type", "view")
_CHANGING = (
    INTEGERS
    | TO_PYTHON
    | frozenset(
        "long int float half double short argsort argmax argmin topk sort sum cumsum arange randperm "
        "randint multinomial tensor where searchsorted".split()
    )
)
_BOOLEANS = ("bool", "BoolTensor")
_DEEPEST = 12


def mask_confidence(file: SemanticModel, node: ast.expr, block: Block) -> float:
    """How sure it is that a tensor holds truth values; 0 where nothing says so."""
    made = _mask_of_expression(file, node, block, 0)
    if made is not None:
        return made
    name = last_name(node)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
        name = node.slice.value
    return _NAMED if _MASK_NAME.search(name) and not _OTHER_NAME.search(name) else 0.0


def _mask_of_expression(file: SemanticModel, node: ast.expr, block: Block, depth: int) -> float | None:
    """The same by how a value is made; None where that does not tell."""
    if depth > _DEEPEST:
        return None
    match node:
        case ast.Compare(ops=[operator]):
            return 0.0 if isinstance(operator, ast.Is | ast.IsNot | ast.In | ast.NotIn) else _MADE
        case ast.UnaryOp(op=ast.Invert()):
            inner = _mask_of_expression(file, node.operand, block, depth + 1)
            return _NAMED if inner is None else inner
        case ast.BinOp(op=ast.BitAnd() | ast.BitOr() | ast.BitXor()):
            sides = [_mask_of_expression(file, side, block, depth + 1) for side in (node.left, node.right)]
            return _MADE if _MADE in sides else 0.0 if 0.0 in sides else None
        case ast.BinOp() | ast.Constant() | ast.Slice():
            return 0.0
        case ast.Call():
            return _called(file, node, block, depth)
        case ast.Attribute(attr="T" | "mT" | "data"):
            return _mask_of_expression(file, node.value, block, depth + 1)
        case ast.Subscript() if not _has_string_key(node):
            return _mask_of_expression(file, node.value, block, depth + 1)
        case ast.Name():
            return _mask_of_name(file, node, block, depth)
        case _:
            return None


def _has_string_key(node: ast.Subscript) -> bool:
    return isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)


def _mask_of_name(file: SemanticModel, node: ast.Name, block: Block, depth: int) -> float | None:
    bindings = reaching(node.id, block, position(node))
    found = [_bound(file, item, depth) for item in bindings if not _starts_empty(file, item)]
    if not found or 0.0 in found:
        return 0.0 if found else None
    return None if None in found else min(item for item in found if item is not None)


def _starts_empty(file: SemanticModel, binding: Binding) -> bool:
    """Whether a binding is `name = None`, which says nothing of what the name is later."""
    return isinstance(binding.value, ast.Constant) and binding.value.value is None


def _bound(file: SemanticModel, binding: Binding, depth: int) -> float | None:
    if binding.value is None or binding.how not in (How.ASSIGN, How.AUGMENT, How.FOR):
        return None
    value, path = binding.value, binding.path
    while path and isinstance(value, ast.Tuple | ast.List) and 0 <= path[0] < len(value.elts):
        value, path = value.elts[path[0]], path[1:]
    if binding.how is How.FOR and (nests_items(last_name(value)) or counts_rounds(last_name(value))):
        return None
    return _mask_of_expression(file, value, binding.block, depth + 1)


def _called(file: SemanticModel, call: ast.Call, block: Block, depth: int) -> float | None:
    name = last_name(call.func)
    if name in _MAKING:
        return _MADE
    if name in _CHANGING:
        return _MADE if _is_boolean(file, argument(call, "dtype"), block) else 0.0
    if any(_is_boolean(file, item, block) for item in (*call.args, argument(call, "dtype"))):
        return _MADE
    return _passed(file, call, block, depth) if name in _PASSING else _returned(file, call, block, depth)


def _passed(file: SemanticModel, call: ast.Call, block: Block, depth: int) -> float | None:
    """The answer for what a call keeps the dtype of: a tensor, all of a list, or none where it names a dtype."""
    given = (*call.args, *(keyword.value for keyword in call.keywords))
    if last_name(call.func) in _TAKING_DTYPES and any(file.kinds.of(item, block).kind is Kind.DTYPE for item in given):
        return 0.0
    by_function = file.kinds.imported(call.func, block) is not None and bool(call.args)
    source = call.args[0] if by_function else getattr(call.func, "value", None)
    if isinstance(source, ast.List | ast.Tuple):
        parts = [_mask_of_expression(file, item, block, depth + 1) for item in source.elts]
        return 0.0 if 0.0 in parts else _MADE if _MADE in parts else None
    return _mask_of_expression(file, source, block, depth + 1) if isinstance(source, ast.expr) else None


def _returned(file: SemanticModel, call: ast.Call, block: Block, depth: int) -> float | None:
    """The answer for all that a function of the file returns, if it is one."""
    edge = file.graph.callee.get(call)
    if edge is None or edge.passed or edge.function.is_generator:
        return None
    found = {
        _mask_of_expression(file, place.node.value, place.block, depth + 3)
        for place in edge.function.returns
        if isinstance(place.node, ast.Return) and place.node.value is not None
    }
    return found.pop() if len(found) == 1 else None


def _is_boolean(file: SemanticModel, node: ast.expr | None, block: Block) -> bool:
    """Whether an argument is `torch.bool`."""
    if isinstance(node, ast.Name) and node.id == "bool":
        return True
    return node is not None and (file.kinds.imported(node, block) or "").rpartition(".")[2] in _BOOLEANS
