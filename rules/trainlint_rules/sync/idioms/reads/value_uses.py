"""What becomes of a value that the host reads: a size, an index, a line of text, an argument, an element of a list."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from enum import Enum, auto

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import last_name, nodes_in
from trainlint.analysis.syntax.uses import assigned_target, enclosing_nodes, loads
from trainlint.analysis.tables.host_reads import TOLIST
from trainlint.analysis.tables.waits.number_arguments import number_arguments
from trainlint.analysis.types.values import Kind
from trainlint.patterns import lazy

_PRINTING = frozenset(
    {"print", "info", "warning", "error", "debug", "critical", "write", "format", "log", "add_scalar"}
)
_BAR_SETTERS = frozenset({"set_postfix", "set_postfix_str", "set_description", "set_description_str"})
"""What tqdm's bars have, and little else."""
_COUNTING = frozenset({"range", "arange", "view", "reshape", "expand", "repeat", "pad_sequence"})
_SOLVING = frozenset({"linear_sum_assignment"})
"""Functions that only work on the host."""
_RECORDS = lazy(r"(^|_)(record|log|track|update|add)(_|$)")
"""Functions that keep numbers for people, and whose results nobody takes."""
_PACKING = frozenset({"pack_padded_sequence", "ctc_loss"})
_SIZES = frozenset({"len", "numel", "size", "shape", TOLIST.name})
_CONVERTING = frozenset({"int", "float", "bool", "round", "numpy", TOLIST.name})
"""Calls whose result is the same value in another type."""


class ValueUse(Enum):
    """What the code does next with a value that was read. The first of several uses, in this order, decides."""

    SOLVED = auto()
    """A solver of the host works on it."""
    LENGTHS = auto()
    """Lengths of sequences that a function wants on the host."""
    INDEX = auto()
    """It picks a row of a tensor."""
    SIZE = auto()
    """A size, a shift, a bound: the next call needs the number."""
    BAR = auto()
    """A progress bar shows it."""
    TEXT = auto()
    """It is printed or logged."""
    ELEMENT = auto()
    """It is appended to a list."""
    ENTRY = auto()
    """A dict keeps it under a text, as one of numbers to log does."""
    ARGUMENT = auto()
    """A call gets it and its result is dropped, as a meter's: nothing in the step needs it."""
    SUM = auto()
    """It is added to a running sum."""
    RETURNED = auto()
    """The function returns it."""
    OTHER = auto()


_ORDER = list(ValueUse)
_NEEDED = _ORDER[: _ORDER.index(ValueUse.BAR)]
"""Uses for which the number must be known at once. The others count only where the value has no use besides."""


def use_of_value(site: Site, read: ast.AST) -> ValueUse:
    """What becomes of a read value, as far as its statement and the uses of its name show."""
    return use_in_statement(site, read, site.statement)


def use_in_statement(site: Site, read: ast.AST, statement: ast.stmt) -> ValueUse:
    """The same for an expression in any statement of the function."""
    whole = converted(site.file, read, statement)
    direct = _in_statement(site, whole, statement)
    if direct is not ValueUse.OTHER:
        return direct
    target = assigned_target(statement, whole)
    if not isinstance(target, ast.Name):
        return ValueUse.OTHER
    return _deciding_use(
        _in_statement(site, converted(site.file, use, holder), holder)
        for use, holder in loads(_root(site), target.id)
        if holder is not statement
    )


def _deciding_use(uses: Iterable[ValueUse]) -> ValueUse:
    found = set(uses)
    if ValueUse.OTHER in found:
        found.intersection_update(_NEEDED)
    return min(found, key=_ORDER.index, default=ValueUse.OTHER)


def _root(site: Site) -> ast.AST:
    function = site.function
    return function.node if function is not None else site.file.tree


def uses_of(site: Site, made: ast.AST) -> list[tuple[ast.AST, ast.stmt]]:
    """An expression of the site's statement and, where that assigns it to a name, all uses of the name."""
    target = assigned_target(site.statement, made)
    found: list[tuple[ast.AST, ast.stmt]] = [(made, site.statement)]
    if isinstance(target, ast.Name):
        found += loads(_root(site), target.id)
    return found


def counts_rows(site: Site, made: ast.AST) -> bool:
    """Whether Python asks for the size of a value or its elements: `len(rows)`, `rows.numel()`, `rows.tolist()`."""
    return any(_asks_for_size(enclosing_nodes(site.file, use, statement)) for use, statement in uses_of(site, made))


def converted(file: SemanticModel, node: ast.AST, statement: ast.stmt) -> ast.AST:
    """The outermost expression that has the same value in another type: `int(x.item())` for `x.item()`."""
    for outer in enclosing_nodes(file, node, statement):
        match outer:
            case ast.Call(func=ast.Name(id=name), args=[argument]) if argument is node and name in _CONVERTING:
                node = outer
            case ast.Attribute(attr=name) if outer.value is node and name in _CONVERTING:
                node = outer
            case ast.Call() if outer.func is node:
                node = outer
            case _:
                break
    return node


def _asks_for_size(holders: Iterator[ast.AST]) -> bool:
    for holder in holders:
        if isinstance(holder, ast.Call) and last_name(holder.func) in _SIZES:
            return True
        if isinstance(holder, ast.Attribute) and holder.attr in _SIZES:
            return True
    return False


def _in_statement(site: Site, read: ast.AST, statement: ast.stmt) -> ValueUse:
    inner: ast.AST = read
    around = list(enclosing_nodes(site.file, read, statement))
    if any(isinstance(part, ast.Call) and last_name(part.func) in _BAR_SETTERS for part in (read, *around)):
        return ValueUse.BAR
    for outer in around:
        found = _in_node(site, inner, outer, statement)
        if found is not ValueUse.OTHER:
            return found
        inner = outer
    return ValueUse.SOLVED if _solves(site.file, statement) else _stored(statement, read)


@once
def _solves(_: SemanticModel, statement: ast.stmt) -> bool:
    """Whether a statement hands something to a function that only works on the host."""
    return any(isinstance(part, ast.Call) and last_name(part.func) in _SOLVING for part in nodes_in(statement))


def _in_node(site: Site, inner: ast.AST, outer: ast.AST, statement: ast.stmt) -> ValueUse:
    """What a node makes of a part of it."""
    match outer:
        case ast.FormattedValue() | ast.JoinedStr():
            return ValueUse.TEXT
        case ast.Slice():
            return ValueUse.SIZE
        case ast.Subscript() if inner is outer.slice:
            held = site.file.kinds.of(outer.value, _block(site, statement))
            return ValueUse.INDEX if held.kind in (Kind.TENSOR, Kind.UNKNOWN) else ValueUse.SIZE
        case ast.Dict() if inner in outer.values:
            return ValueUse.ENTRY
        case ast.DictComp() if inner is outer.value:
            return ValueUse.ENTRY
        case ast.Call() if inner is not outer.func:
            return _in_call(site, outer, statement)
    return ValueUse.OTHER


def _block(site: Site, statement: ast.stmt) -> Block:
    return site.file.outline.block_of.get(statement, site.block)


def _in_call(site: Site, call: ast.Call, statement: ast.stmt) -> ValueUse:
    name = last_name(call.func)
    if name in _PRINTING:
        return ValueUse.TEXT
    if name in _SOLVING:
        return ValueUse.SOLVED
    if name in _PACKING:
        return ValueUse.LENGTHS
    block = _block(site, statement)
    row = number_arguments(name, site.file.kinds.imported(call.func, block))
    if name in _COUNTING or (row is not None and not row.factor):
        return ValueUse.SIZE
    if isinstance(statement, ast.Expr) and statement.value is call:
        return ValueUse.ELEMENT if name == "append" else ValueUse.ARGUMENT
    if isinstance(statement, ast.Expr) and _RECORDS.search(last_name(statement.value)):
        return ValueUse.ARGUMENT  # `record("loss", Mean(x.item()))`
    return ValueUse.OTHER


def _stored(statement: ast.stmt, read: ast.AST) -> ValueUse:
    """What a statement does with a value that it takes as it is: `log["loss"] = x`, `total += x`, `return x`."""
    match statement:
        case ast.Assign(targets=[ast.Subscript(slice=key), *_]) if statement.value is read:
            texts = any(isinstance(part, ast.Constant) and isinstance(part.value, str) for part in nodes_in(key))
            return ValueUse.ENTRY if texts else ValueUse.OTHER
        case ast.AugAssign(op=ast.Add()) if statement.value is read:
            return ValueUse.SUM
        case ast.Return(value=value) if value is read or (isinstance(value, ast.Tuple) and read in value.elts):
            return ValueUse.RETURNED
    return ValueUse.OTHER
