"""What `torch.save` writes into which files, and under which name `torch.load` reads them.

A file is known by the last part of its path as the code writes it, with `*` for what a run puts in:
`os.path.join(folder, f"step-{step}.pt")` is "step-*.pt".
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Block, How
from trainlint.analysis.syntax.names import argument, constant, last_name, nodes_in
from trainlint.analysis.types.evidence import Rank
from trainlint.analysis.types.values import Kind
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

SAVE, LOAD = ("torch.save", "torch.serialization.save"), ("torch.load", "torch.serialization.load")
_LETTERS = lazy(r"[A-Za-z]{2}")
_WORD = lazy(r"[A-Za-z]{3}")
_OF_PATHS = ("join", "joinpath", "Path", "str")
_MAKES_PLAIN = frozenset({"int", "float", "str", "bool", "len"})
_KEEPS_TENSORS = frozenset("cpu detach clone half float bfloat16 to contiguous".split())
_SCHEDULED_BY_FUNCTIONS = frozenset({"LambdaLR", "MultiplicativeLR", "OneCycleLR"})
_PLAIN = frozenset({Kind.NUMBER, Kind.STRING, Kind.NONE, Kind.TENSOR, Kind.SHAPE})
_DEEPEST = 6


def saved_files(file: SemanticModel) -> dict[str, bool]:
    """File name → whether all that the file saves under it is tensors, numbers, text and plain containers of these."""
    found: dict[str, bool] = {}
    for place in file.outline.calls.get("save", ()):
        call = place.node
        if isinstance(call, ast.Call) and file.outline.imported(call.func, place.block) in SAVE:
            held = argument(call, "obj", 0)
            name = file_name(file, argument(call, "f", 1), place.block)
            if name is not None:
                plain = held is not None and is_plain(file, held, place.block)
                found[name] = plain and found.get(name, True)
    return found


def loaded_files(file: SemanticModel) -> tuple[str, ...]:
    """The names of the files that a file loads, where they are told by the code."""
    names = [
        file_name(file, argument(place.node, "f", 0), place.block)
        for place in file.outline.calls.get("load", ())
        if isinstance(place.node, ast.Call) and file.outline.imported(place.node.func, place.block) in LOAD
    ]
    return tuple(dict.fromkeys(name for name in names if name is not None))


def file_name(file: SemanticModel, path: ast.expr | None, block: Block) -> str | None:
    """The name of a file with `*` for what a run puts in; None where it says no more than an ending."""
    written = _pattern(file, path, block, 0) if path is not None else "*"
    name = re.sub(r"\*+", "*", written).rpartition("/")[2]
    return name if _says_more_than_ending(name) else None


def _says_more_than_ending(name: str) -> bool:
    before, dot, _ = name.rpartition(".")
    return bool(_LETTERS.search(before)) if dot else "*" not in name and bool(_WORD.search(name))


def _pattern(file: SemanticModel, path: ast.expr, block: Block, depth: int) -> str:
    match path:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(str(constant(item) or "*") if isinstance(item, ast.Constant) else "*" for item in values)
        case ast.BinOp(left=left, op=ast.Add() | ast.Div() as operator, right=right) if depth < _DEEPEST:
            between = "/" if isinstance(operator, ast.Div) else ""
            parts = (_pattern(file, side, block, depth + 1) for side in (left, right))
            return between.join(parts)
        case ast.Call(args=[*_, last]) if (
            last_name(path.func) in ("join", "joinpath", "Path", "str") and depth < _DEEPEST
        ):
            return "*/" * (len(path.args) > 1) + _pattern(file, last, block, depth + 1)
    return _pattern_of_name(file, path, block, depth) if depth < _DEEPEST else "*"


def _pattern_of_name(file: SemanticModel, path: ast.expr, block: Block, depth: int) -> str:
    bindings = file.outline.bindings(path, block)
    only = bindings[0] if len(bindings) == 1 else None
    if only is None or only.how is not How.ASSIGN or only.value is None or only.path:
        return "*"
    return _pattern(file, only.value, only.block, depth + 1)


def is_plain(file: SemanticModel, node: ast.expr, block: Block, depth: int = 0) -> bool:
    """Whether an object surely is what `weights_only=True` reads: tensors, numbers, text, and plain containers."""
    if depth > _DEEPEST:
        return False
    match node:
        case ast.Constant():
            return True
        case ast.Dict(keys=keys, values=values):
            return None not in keys and all(is_plain(file, item, block, depth + 1) for item in values)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return all(is_plain(file, item, block, depth + 1) for item in items)
        case ast.DictComp(value=value, generators=[ast.comprehension(iter=ast.Call(func=ast.Attribute(attr="items")))]):
            return _is_of_state(file, node, value, block)
        case ast.Call(func=ast.Attribute(attr="state_dict", value=owner)):
            return _has_plain_state(file, owner, block)
        case ast.Call() if last_name(node.func) in _MAKES_PLAIN or _is_written_dict(node):
            return all(is_plain(file, item.value, block, depth + 1) for item in node.keywords)
        case ast.Name():
            return _is_plain_name(file, node, block, depth)
    return _is_surely(file, node, block)


def _is_written_dict(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id == "dict" and not call.args


def _is_surely(file: SemanticModel, node: ast.expr, block: Block) -> bool:
    value = file.kinds.of(node, block)
    return value.kind in _PLAIN and value.evidence.kind is Rank.PROVED and value.confidence >= 1


def _has_plain_state(file: SemanticModel, owner: ast.expr, block: Block) -> bool:
    """Whether `owner.state_dict()` holds tensors and numbers alone.

    Schedules by functions of the project may put NumPy's numbers into an optimizer, and keep the functions themselves.
    """
    kind = file.kinds.of(owner, block).kind
    if kind is not Kind.OPTIMIZER:
        return kind is Kind.MODULE
    imports_numpy = any(origin.partition(".")[0] == "numpy" for origin in file.outline.imports.values())
    return not imports_numpy and _SCHEDULED_BY_FUNCTIONS.isdisjoint(file.outline.calls)


def _is_of_state(file: SemanticModel, node: ast.DictComp, value: ast.expr, block: Block) -> bool:
    """Whether a comprehension takes the tensors of a module's state, as they are or copied."""
    items = node.generators[0]
    assert isinstance(items.iter, ast.Call)
    assert isinstance(items.iter.func, ast.Attribute)
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in _KEEPS_TENSORS:
        value = value.func.value
    taken = [part.id for part in nodes_in(items.target) if isinstance(part, ast.Name)]
    return isinstance(value, ast.Name) and value.id in taken[1:] and is_plain(file, items.iter.func.value, block, 1)


def _is_plain_name(file: SemanticModel, node: ast.Name, block: Block, depth: int) -> bool:
    bindings = file.outline.bindings(node, block)
    if not bindings or any(item.how not in (How.ASSIGN, How.FOR, How.AUGMENT) for item in bindings):
        return False
    for item in bindings:
        value = file.kinds.binding(item)
        if item.how is How.ASSIGN and item.value is not None and not item.path:
            if not is_plain(file, item.value, item.block, depth + 1):
                return False
        elif value.kind is not Kind.NUMBER or value.evidence.kind is not Rank.PROVED:
            return False
    put = file.outline.fillings.get(node.id, ())
    return all(_is_plain_filling(file, place.node, place.block, depth) for place in put)


def _is_plain_filling(file: SemanticModel, node: ast.AST, block: Block, depth: int) -> bool:
    """Whether what is put into a container is plain: a stored value, or the argument of `append`."""
    put = node.args[0] if isinstance(node, ast.Call) and last_name(node.func) == "append" and node.args else node
    return isinstance(put, ast.expr) and is_plain(file, put, block, depth + 1)
