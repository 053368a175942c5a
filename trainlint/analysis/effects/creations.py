"""Tensors that one expression creates: by which of PyTorch's factories, of what, and where they go next."""

from __future__ import annotations

import ast
from enum import Enum, auto
from typing import TYPE_CHECKING, NamedTuple

from trainlint.analysis.effects.default_device import enters_device
from trainlint.analysis.syntax.blocks import Block, BlockKind, How
from trainlint.analysis.syntax.names import argument, constant, last_name, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.syntax.uses import loads
from trainlint.analysis.tables.waits.device_copies import SHARING
from trainlint.analysis.types.values import Kind
from trainlint.analysis.types.vocabulary import WINDOWS

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

FILLED = frozenset({"zeros", "ones", "empty", "full", "eye", "zeros_like", "ones_like", "empty_like", "full_like"})
COUNTED = frozenset({"arange"})
ROUNDED = WINDOWS | {"linspace", "logspace"}
RANDOM = frozenset({"rand", "randn", "randint", "randperm", "normal", "rand_like", "randn_like", "randint_like"})
COPIED = frozenset({"tensor", "as_tensor"})
LEGACY = frozenset("Tensor FloatTensor LongTensor IntTensor BoolTensor HalfTensor DoubleTensor ByteTensor".split())
ALL = FILLED | COUNTED | ROUNDED | RANDOM | COPIED | LEGACY
_PLACING = ("device", "generator", "pin_memory", "out", "requires_grad", "layout")
_LIKE = frozenset(name for name in ALL if name.endswith("_like"))

_SHAPING = frozenset(
    "unsqueeze squeeze view reshape expand repeat transpose permute flatten contiguous bool long int float double half "
    "bfloat16 t tril triu flip clone detach fill_ zero_".split()
)
"""Methods whose results are the same bits on every device."""
RANDOM_FILLS = frozenset({"random_", "uniform_", "normal_", "bernoulli_", "exponential_"})
"""Methods that fill a tensor with random numbers."""
_TO_INTEGERS = frozenset({"long", "int"})
_WELL_WITHIN = 2**24
"""A number below this one becomes the same integer on every device; NaN and what is out of range does not."""
_FILLS = frozenset({"fill_", "zero_"})
"""Methods that overwrite a tensor with one number, so that it does not matter what it was made of."""
_SHAPING_FUNCTIONS = frozenset({"torch.triu", "torch.tril"})


class Content(Enum):
    """What a created tensor holds."""

    EXACT = auto()
    """The same bits wherever it is made: a fill value, whole numbers in order."""
    ROUNDED = auto()
    """Fractions, whose last bit may differ from device to device."""
    RANDOM = auto()
    """Drawn from the generator of the device on which it is made."""
    CONSTANT = auto()
    """Copied from numbers that are written out."""
    NUMBER = auto()
    """Copied from one Python number."""
    NUMBERS = auto()
    """Copied from a few Python numbers that stand in the call, such as the sizes of an image."""
    DATA = auto()
    """Copied from values that the program computes on the host."""


_FROM_PYTHON = frozenset({Content.DATA, Content.NUMBERS})


class Creation(NamedTuple):
    """A factory call at the root of an expression."""

    call: ast.Call
    factory: str
    content: Content
    exact_after: bool
    """Whether everything done to the tensor before it goes on gives the same bits on every device."""
    is_direct: bool = True
    """Whether the expression itself holds the call, so that no name and no arithmetic stands in between."""


def creation(file: SemanticModel, node: ast.expr, block: Block) -> Creation | None:
    """The factory that an expression starts with, on the host; None for other expressions and for other places."""
    root = _root(file, node, block)
    behind = _factory_of_name(file, node, block) if root is None else None
    root = root or behind
    if root is None:
        return None
    call, methods = root
    factory = last_name(call.func)
    if file.outline.imported(call.func, block) != f"torch.{factory}" or factory not in ALL:
        return None
    if is_placed(file, call, block):
        return None
    content = _content_of_call(file, call, factory, block)
    if not RANDOM_FILLS.isdisjoint(methods):
        content = Content.RANDOM
    elif content in _FROM_PYTHON and not _FILLS.isdisjoint(methods) and f"torch.{factory}" not in SHARING:
        content = Content.EXACT
    exact = _SHAPING.issuperset(methods) and (content is Content.RANDOM or _stays_in_range(call, methods))
    return Creation(call, factory, content, exact, behind is None)


def _stays_in_range(call: ast.Call, methods: list[str]) -> bool:
    """Whether methods make no integers, or a factory that is in sight fills its tensor with numbers that they hold."""
    if _TO_INTEGERS.isdisjoint(methods):
        return True
    factory = last_name(call.func)
    if "fill_" in methods or factory not in FILLED | COUNTED:
        return False
    filled = argument(call, "fill_value", 1) if factory.startswith("full") else ast.Constant(0)
    number = constant(filled)
    return isinstance(number, int | float) and abs(number) < _WELL_WITHIN


def _root(file: SemanticModel, node: ast.expr, block: Block) -> tuple[ast.Call, list[str]] | None:
    """The call of an import that an expression starts with, and the names of the methods that are called on its way."""
    methods: list[str] = []
    while True:
        if isinstance(node, ast.Subscript):
            node = node.value
            continue
        if not isinstance(node, ast.Call):
            return None
        origin = file.outline.imported(node.func, block)
        if origin in _SHAPING_FUNCTIONS and node.args:
            node = node.args[0]
        elif origin is None and isinstance(node.func, ast.Attribute):
            methods.append(node.func.attr)
            node = node.func.value
        else:
            return node, methods


def _factory_of_name(file: SemanticModel, node: ast.expr, block: Block) -> tuple[ast.Call, list[str]] | None:
    """The same for an expression that starts with a name: what was assigned to it, if nothing else uses that.

    `base = torch.ones(n, 1) * scale; base = base.long().to(device)`: the factory is that of the first line.
    """
    methods: list[str] = []
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        methods.append(node.func.attr)
        node = node.func.value
    if not isinstance(node, ast.Name):
        return None
    bindings = reaching(node.id, block, position(node))
    made = bindings[0] if len(bindings) == 1 else None
    if made is None or made.how is not How.ASSIGN or made.path or made.value is None or made.block is not block:
        return None
    function = file.graph.enclosing(block)
    root = function.node if function is not None else file.tree
    start, stop = position(made.value), position(node)
    if any(start < position(use) < stop for use, _ in loads(root, node.id)):
        return None
    found = _root(file, _scaled(file, made.value, block), block)
    return (found[0], found[1] + methods) if found is not None else None


def _scaled(file: SemanticModel, node: ast.expr, block: Block) -> ast.expr:
    """The tensor in its product, quotient, sum or difference with a number; else the expression itself."""
    while isinstance(node, ast.BinOp):
        if file.kinds.of(node.right, block).kind is Kind.NUMBER:
            node = node.left
        elif file.kinds.of(node.left, block).kind is Kind.NUMBER:
            node = node.right
        else:
            break
    return node


def _content_of_call(file: SemanticModel, call: ast.Call, factory: str, block: Block) -> Content:
    """What a factory fills its tensor with."""
    content = _content(call, factory)
    if content is not Content.DATA or factory not in COPIED | LEGACY or not call.args:
        return content
    given = call.args[0]
    if factory in COPIED and file.kinds.of(given, block).kind is Kind.NUMBER:
        return Content.NUMBER
    return Content.NUMBERS if _is_list_of_numbers(file, given, block) else content


def _is_list_of_numbers(file: SemanticModel, node: ast.expr, block: Block) -> bool:
    """Whether an expression writes out a list of Python numbers, counts, or holds such lists."""
    if isinstance(node, ast.Call):
        return last_name(node.func) == "range"
    return isinstance(node, ast.List | ast.Tuple) and all(
        _is_list_of_numbers(file, item, block) or file.kinds.of(item, block).kind is Kind.NUMBER for item in node.elts
    )


def is_placed(file: SemanticModel, call: ast.Call, block: Block) -> bool:
    """Whether something besides the default decides where or how a factory's call makes its tensor."""
    has_unpacked_keywords = any(keyword.arg is None for keyword in call.keywords)
    if (
        last_name(call.func) in _LIKE
        or has_unpacked_keywords
        or any(argument(call, name) is not None for name in _PLACING)
    ):
        return True
    if file.creates_on_device:
        return True
    return any(outer.kind is BlockKind.WITH and enters_device(file, outer) for outer in block.outwards())


def _content(call: ast.Call, factory: str) -> Content:
    if factory in FILLED:
        return Content.EXACT
    if factory in RANDOM:
        return Content.RANDOM
    if factory in COUNTED:
        start = call.args[0] if len(call.args) > 1 else argument(call, "start")
        step = argument(call, "step", 2)
        whole = all(item is None or type(constant(item)) is int for item in (start, step))
        return Content.EXACT if whole else Content.ROUNDED
    if factory in ROUNDED:
        return Content.ROUNDED
    if factory in LEGACY and (len(call.args) > 1 or (call.args and type(constant(call.args[0])) is int)):
        return Content.EXACT  # these are sizes: whatever the memory holds is written over
    return Content.CONSTANT if call.args and _is_constant(call.args[0]) else Content.DATA


def _is_constant(node: ast.expr) -> bool:
    if isinstance(node, ast.List | ast.Tuple):
        return all(_is_constant(item) for item in node.elts)
    return type(constant(node)) in (int, float, bool)
