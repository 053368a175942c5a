"""What becomes of a value that the host reads: a size, a line of text, an argument, an element of a list."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from enum import Enum, auto

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name, nodes_in
from trainlint.analysis.syntax.uses import around, assigned_target, loads
from trainlint.analysis.tables.host_reads import TOLIST
from trainlint.analysis.tables.waits.number_arguments import number_arguments

_PRINTING = frozenset(
    {"print", "info", "warning", "error", "debug", "critical", "write", "format", "log", "add_scalar"}
)
_COUNTING = frozenset({"range", "arange", "view", "reshape", "expand", "repeat", "pad_sequence"})
_SOLVING = frozenset({"linear_sum_assignment"})
"""Functions that only work on the host."""
_PACKING = frozenset({"pack_padded_sequence", "ctc_loss"})
_SIZES = frozenset({"len", "numel", "size", "shape", TOLIST.name})


class Becomes(Enum):
    """What the code does next with a value that was read."""

    SIZE = auto()
    """A size, a shift, a bound: the next call needs the number."""
    LENGTHS = auto()
    """Lengths of sequences that a function wants on the host."""
    TEXT = auto()
    """It is printed or logged."""
    SOLVED = auto()
    """A solver of the host works on it."""
    ELEMENT = auto()
    """It is appended to a list."""
    ARGUMENT = auto()
    """A call gets it and its result is dropped, as a meter's: nothing in the step needs it."""
    ENTRY = auto()
    """A dict keeps it under a text, as one of numbers to log does."""
    OTHER = auto()


def becomes(site: Site, read: ast.AST) -> Becomes:
    """What becomes of a read value, as far as its statement and the uses of its name show."""
    direct = _in_statement(site.file, read, site.statement, site)
    if direct is not Becomes.OTHER:
        return direct
    target = assigned_target(site.statement, read)
    if not isinstance(target, ast.Name):
        return Becomes.OTHER
    function = site.function
    root = function.node if function is not None else site.file.tree
    for use, statement in loads(root, target.id):
        if statement is not site.statement:
            found = _in_statement(site.file, use, statement, site)
            if found in (Becomes.SIZE, Becomes.SOLVED, Becomes.LENGTHS):
                return found
    return Becomes.OTHER


def counts_rows(site: Site, made: ast.AST) -> bool:
    """Whether Python asks for the size of a value or its elements: `len(rows)`, `rows.numel()`, `rows.tolist()`."""
    target = assigned_target(site.statement, made)
    function = site.function
    root = function.node if function is not None else site.file.tree
    uses: list[tuple[ast.AST, ast.stmt]] = [(made, site.statement)]
    if isinstance(target, ast.Name):
        uses += loads(root, target.id)
    return any(_asks_for_size(around(site.file, use, statement)) for use, statement in uses)


def _asks_for_size(holders: Iterator[ast.AST]) -> bool:
    for holder in holders:
        if isinstance(holder, ast.Call) and last_name(holder.func) in _SIZES:
            return True
        if isinstance(holder, ast.Attribute) and holder.attr in _SIZES:
            return True
    return False


def _in_statement(file: SemanticModel, read: ast.AST, statement: ast.stmt, site: Site) -> Becomes:
    inner: ast.AST = read
    for outer in around(file, read, statement):
        if isinstance(outer, ast.FormattedValue | ast.JoinedStr):
            return Becomes.TEXT
        if isinstance(outer, ast.Slice):
            return Becomes.SIZE
        if isinstance(outer, ast.Dict) and inner in outer.values:
            return Becomes.ENTRY
        if isinstance(outer, ast.Call) and inner is not outer.func:
            found = _in_call(file, outer, statement, site)
            if found is not Becomes.OTHER:
                return found
        inner = outer
    return _stored(statement, read)


def _in_call(file: SemanticModel, call: ast.Call, statement: ast.stmt, site: Site) -> Becomes:
    name = last_name(call.func)
    if name in _PRINTING:
        return Becomes.TEXT
    if name in _SOLVING:
        return Becomes.SOLVED
    if name in _PACKING:
        return Becomes.LENGTHS
    if name in _COUNTING or number_arguments(name, file.kinds.imported(call.func, site.block)) is not None:
        return Becomes.SIZE
    if isinstance(statement, ast.Expr) and statement.value is call:
        return Becomes.ELEMENT if name == "append" else Becomes.ARGUMENT
    return Becomes.OTHER


def _stored(statement: ast.stmt, read: ast.AST) -> Becomes:
    """An entry of a dict: `log["loss"] = loss.item()`."""
    if isinstance(statement, ast.Assign) and statement.value is read:
        target = statement.targets[0]
        if isinstance(target, ast.Subscript) and any(
            isinstance(part, ast.Constant) and isinstance(part.value, str) for part in nodes_in(target.slice)
        ):
            return Becomes.ENTRY
    return Becomes.OTHER
