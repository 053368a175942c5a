"""Names as they are written and what imports make of them.

These functions are asked several times for each line of a file, so they compare types by identity.
"""

from __future__ import annotations

import ast
import sys
from ast import Attribute, Call, Constant, Name, Subscript
from operator import attrgetter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable
    from typing import Any

NAMES = 4096
"""How many names of a project are remembered with what they say, since a few hundred of them make up most of it."""
_PARTED = (Attribute, Subscript, ast.Starred)


def dotted(node: ast.AST) -> str | None:
    """The source spelling of a chain of names, such as "self.model.encoder"; None for anything else."""
    if type(node) is Name:
        return node.id
    parts: list[str] = []
    while type(node) is Attribute:
        parts.append(node.attr)
        node = node.value
    if type(node) is not Name:
        return None
    parts.append(node.id)
    parts.reverse()
    return ".".join(parts)


def last_name(node: ast.AST) -> str:
    """The last word of a name, attribute, subscripted or called thing: "item" for `x.item`; "" where there is none."""
    while True:
        if type(node) is Attribute:
            return node.attr
        if type(node) is Name:
            return node.id
        if type(node) is Call:
            node = node.func
        elif type(node) is Subscript:
            node = node.value
        else:
            return ""


def root_name(node: ast.AST) -> str:
    """The first word of a chain of attributes, subscripts and calls: "loss" for `loss.mean()[0].data`; "" if none."""
    while True:
        if type(node) is Name:
            return node.id
        if type(node) is Call:
            node = node.func
        elif isinstance(node, _PARTED):
            node = node.value
        else:
            return ""


def nodes_in(node: ast.AST) -> list[ast.AST]:
    """The nodes that `ast.walk` finds, in its order but for operators and contexts, in less than half of its time."""
    found: list[Any] = [node]
    append = found.append
    for item in found:
        kind = type(item)
        if kind is Name or kind is Constant:
            continue
        if kind is Attribute:
            append(item.value)
            continue
        if kind is Call:
            append(item.func)
            found += item.args
            found += item.keywords
            continue
        if kind in _ALL_AT_ONCE:
            found += _ALL_AT_ONCE[kind](item)
            continue
        fields = _CHILDREN.get(kind)
        for name in _fields(kind) if fields is None else fields:
            child: Any = getattr(item, name, None)
            if type(child) is list:
                if child:
                    found += child if name not in _WITH_GAPS else [part for part in child if part is not None]
            elif child is not None:
                append(child)
    return found


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes that `ast.iter_child_nodes` finds, in its order but for operators and contexts."""
    found: list[ast.AST] = []
    kind = type(node)
    if kind is Name or kind is Constant:
        return found
    if kind in _ALL_AT_ONCE:
        return list(_ALL_AT_ONCE[kind](node))
    fields = _CHILDREN.get(kind)
    for name in _fields(kind) if fields is None else fields:
        child: Any = getattr(node, name, None)
        if type(child) is list:
            if child:
                found += child if name not in _WITH_GAPS else [part for part in child if part is not None]
        elif child is not None:
            found.append(child)
    return found


def _fields(kind: type[ast.AST]) -> tuple[str, ...]:
    """The fields of a type of node that hold nothing but nodes worth a look."""
    _CHILDREN[kind] = tuple(name for name in kind._fields if name not in _NO_CHILDREN)
    return _CHILDREN[kind]


_ALL_AT_ONCE: dict[type[ast.AST], Callable[[Any], Iterable[ast.AST]]] = {
    ast.AugAssign: attrgetter("target", "value"),
    ast.BinOp: attrgetter("left", "right"),
    ast.BoolOp: attrgetter("values"),
    ast.IfExp: attrgetter("test", "body", "orelse"),
    ast.JoinedStr: attrgetter("values"),
    ast.List: attrgetter("elts"),
    ast.Set: attrgetter("elts"),
    Subscript: attrgetter("value", "slice"),
    ast.Tuple: attrgetter("elts"),
}
"""The children of nodes that have several and always all of them, or one list of them, at the speed of C."""
_CHILDREN: dict[type[ast.AST], tuple[str, ...]] = {
    ast.Global: (),
    ast.Nonlocal: (),
    ast.MatchSingleton: (),
}
if sys.version_info >= (3, 12):
    _CHILDREN[ast.TypeAlias] = ("name", "type_params", "value")
_WITH_GAPS = frozenset({"keys", "kw_defaults"})
"""Fields with lists in which None stands for what is not written: the key of a `**`, a parameter's default."""
_NO_CHILDREN = frozenset(
    "ctx op ops id attr arg name asname module level conversion kind type_comment simple is_async rest kwd_attrs "
    "str tag".split()
)


def names_in(node: ast.AST) -> list[str]:
    """The last word of each name and attribute in an expression: ["range", "args", "steps"] for `range(args.steps)`."""
    return [last_name(part) for part in nodes_in(node) if isinstance(part, (Name, Attribute))]


def has_name_in(node: ast.AST, names: Container[str]) -> bool:
    """Whether a variable with one of these names occurs anywhere in an expression or statement."""
    return any(isinstance(part, Name) and part.id in names for part in nodes_in(node))


def imported_names(node: ast.Import | ast.ImportFrom) -> list[tuple[str, str]]:
    """(local name, dotted origin) for each name that an import binds; relative modules keep their dots."""
    if isinstance(node, ast.Import):
        return [
            (alias.asname, alias.name) if alias.asname else (alias.name.partition(".")[0], alias.name.partition(".")[0])
            for alias in node.names
        ]
    module = "." * node.level + (node.module or "")
    separator = "" if module.endswith(".") or not module else "."
    return [
        (alias.asname or alias.name, f"{module}{separator}{alias.name}") for alias in node.names if alias.name != "*"
    ]


def argument(call: ast.Call, name: str, position: int | None = None) -> ast.expr | None:
    """The argument given by keyword, or by position where no `*args` stands before it; None if it is not given."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    if position is not None and position < len(call.args):
        before = call.args[: position + 1]
        if not any(isinstance(item, ast.Starred) for item in before):
            return call.args[position]
    return None


def has_unpacked_arguments(call: ast.Call) -> bool:
    """Whether `*args` or `**kwargs` could give an argument that is not written out."""
    return any(keyword.arg is None for keyword in call.keywords) or any(
        isinstance(item, ast.Starred) for item in call.args
    )


def branches(node: ast.expr) -> list[ast.expr]:
    """An expression, or both values of a conditional one."""
    return [*branches(node.body), *branches(node.orelse)] if isinstance(node, ast.IfExp) else [node]


def constant(node: ast.AST | None) -> object:
    """The Python value of a literal, a negated number included; Ellipsis for anything else."""
    if type(node) is Constant:
        return node.value
    if type(node) is ast.UnaryOp and type(node.op) is ast.USub:
        value = constant(node.operand)
        if isinstance(value, (int, float)):
            return -value
    return ...


def position(node: ast.expr | ast.stmt | ast.arg) -> tuple[int, int]:
    """Where a node starts, as `ast` counts."""
    return node.lineno, node.col_offset


def end_position(node: ast.expr | ast.stmt | ast.arg) -> tuple[int, int]:
    """Where a node ends, as `ast` counts."""
    return node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
