"""Progress bars: which calls update one, and what they make the bar read."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.analysis.effects.reads import explicit_read, implicit_read
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.syntax.blocks import Block, Place
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import last_name, nodes_in, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.tables.host_reads import ITEM, WAITING_TO_HOST
from trainlint.analysis.tables.iterables import is_progress_bar
from trainlint.analysis.types.values import Kind, Value
from trainlint.patterns import lazy

SETTERS = frozenset({"set_postfix", "set_postfix_str", "set_description", "set_description_str"})
"""What tqdm's bars have, and little else."""
UPDATES = SETTERS | {"write", "update"}
_BAR_NAME = lazy(r"(^|_)(p_?bar|bar|tbar|progress|progress_?bar|prog_?bar)$", re.IGNORECASE)
_CONVERSIONS = frozenset({"float", "int", "str", "round"})


def is_bar_update(file: SemanticModel, place: Place) -> bool:
    """Whether a call gives a progress bar something to show."""
    call = place.node
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    if call.func.attr in SETTERS:
        return True
    return call.func.attr in UPDATES and _is_bar(file, call.func.value, place.block)


def _is_bar(file: SemanticModel, owner: ast.expr, block: Block) -> bool:
    if isinstance(owner, ast.Name):
        for binding in reaching(owner.id, block, position(owner)):
            if binding.value is not None and is_progress_bar(last_name(binding.value)):
                return True
    return bool(_BAR_NAME.search(last_name(owner))) or is_progress_bar(last_name(owner))


def shown_by_bar(file: SemanticModel, node: ast.AST, statement: ast.stmt) -> bool:
    """Whether a node stands among the arguments of a call that updates a progress bar."""
    updates = _updates(file).get(statement, ())
    return any(part is node for place in updates for part in nodes_in(place.node))


@once
def _updates(file: SemanticModel) -> dict[ast.stmt, list[Place]]:
    """The calls that update a progress bar, by the statement that holds them."""
    found: dict[ast.stmt, list[Place]] = {}
    for place in (place for name in UPDATES for place in file.outline.calls.get(name, ())):
        if is_bar_update(file, place):
            found.setdefault(place.statement, []).append(place)
    return found


def bar_reads(file: SemanticModel, call: ast.Call, block: Block) -> Iterator[tuple[ast.expr, float]]:
    """The parts of an update that read a device tensor on the host, with confidences, in the order of reading."""
    takes_dict = last_name(call.func) == "set_postfix"  # what stands there by position is no tensor, whatever it seems
    for item in call.args:
        if not takes_dict or not isinstance(item, ast.Name | ast.Attribute) or _is_container(file, item, block):
            yield from _reads_in_text(file, item.value if isinstance(item, ast.Starred) else item, block)
    for keyword in call.keywords:
        yield from _reads_in_text(file, keyword.value, block)


def _is_container(file: SemanticModel, node: ast.expr, block: Block) -> bool:
    return file.kinds.of(node, block).kind is Kind.CONTAINER


def _reads_in_text(file: SemanticModel, node: ast.expr, block: Block) -> Iterator[tuple[ast.expr, float]]:
    """Reads in a value that becomes text: it is a tensor itself, or something inside it is."""
    confidence = implicit_read(_shown_value(file.kinds.of(node, block)), node, block)
    if confidence:
        yield node, confidence
        return
    yield from _reads_in_parts(file, node, block)


def _shown_value(value: Value) -> Value:
    return value.element if value.kind is Kind.CONTAINER and value.element is not None else value


def _reads_in_parts(file: SemanticModel, node: ast.AST, block: Block) -> Iterator[tuple[ast.expr, float]]:
    match node:
        case ast.Dict():
            for item in node.values:
                yield from _reads_in_text(file, item, block)
        case ast.FormattedValue():
            yield from _reads_in_text(file, node.value, block)
        case ast.BinOp(op=ast.Mod()) if _is_text(node.left):
            for item in node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]:
                yield from _reads_in_text(file, item.value if isinstance(item, ast.Starred) else item, block)
        case ast.Call():
            yield from _called(file, node, block)
        case ast.GeneratorExp() | ast.ListComp() | ast.DictComp() | ast.SetComp():
            inner = file.outline.loop_blocks.get(node.generators[-1], block)
            yield from _reads_in_text(file, node.value if isinstance(node, ast.DictComp) else node.elt, inner)
        case ast.Constant() | ast.Name():
            return
        case _:
            for child in ast.iter_child_nodes(node):
                yield from _reads_in_parts(file, child, block)


def _is_text(node: ast.expr) -> bool:
    """Whether an expression is text written out, also as `"%s" * 2 + "%d"`."""
    while isinstance(node, ast.BinOp):
        node = node.left
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _called(file: SemanticModel, call: ast.Call, block: Block) -> Iterator[tuple[ast.expr, float]]:
    name = last_name(call.func)
    if isinstance(call.func, ast.Attribute):
        if name in WAITING_TO_HOST and not call.args:
            value = file.kinds.of(call.func.value, block)
            confidence = (
                explicit_read(value, file.device) if name == ITEM.name or value.kind is not Kind.UNKNOWN else 0.0
            )
            if confidence:
                yield call, confidence
                return
        yield from _reads_in_parts(file, call.func.value, block)
    reads_all = name == "format" or (isinstance(call.func, ast.Name) and name in _CONVERSIONS)
    for item in (*call.args, *(keyword.value for keyword in call.keywords)):
        inner = item.value if isinstance(item, ast.Starred) else item
        yield from _reads_in_text(file, inner, block) if reads_all else _reads_in_parts(file, inner, block)
