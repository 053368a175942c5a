"""Dicts of choices: tables of classes and functions of which a program takes one by a name, `NETS[args.net]`."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from trainlint.analysis.syntax.blocks import Block, How, Place
from trainlint.analysis.syntax.names import constant, last_name, nodes_in
from trainlint.analysis.syntax.outline import Outline
from trainlint.analysis.syntax.stable_keys import Keys

_FEWEST = 2
_NAMES_ALONE = frozenset({"list", "sorted", "tuple", "set", "len", "join", "keys"})
"""What takes the names of a table and none of its entries."""


class ChoiceEntry(NamedTuple):
    """One entry of a table."""

    key: str
    """What names the entry in its file."""
    table: str
    """The variable at the top of the file that holds the table; "" for one that only its function sees."""
    name: str
    """Under which it is chosen."""
    value: ast.expr
    block: Block
    """Where the table is written out."""
    reads: tuple[tuple[ast.expr, Block], ...]
    """The names by which the file takes entries of the table, and where."""


def choice_entries(outline: Outline, keys: Keys) -> list[ChoiceEntry]:
    """The entries of tables of which the file shows all that it takes."""
    found = []
    uses: Counter[str] | None = None
    for place in _tables(outline):
        node, name = place.node, _variable(place)
        assert isinstance(node, ast.Dict)
        reads = tuple(_reads(outline, place, name))
        if not reads:
            continue
        if name:
            uses = _uses(outline) if uses is None else uses
            if uses[name] != len(reads) or not _is_bound_once(place, name):
                continue
        function = outline.enclosing(place.block)
        home = keys.function(function) if function is not None else ""
        for key, value in zip(node.keys, node.values, strict=True):
            chosen_by = str(constant(key))
            table = name if function is None else ""
            found.append(ChoiceEntry(f"{home}?{name}[{chosen_by!r}]", table, chosen_by, value, place.block, reads))
    return found


def _tables(outline: Outline) -> Iterator[Place]:
    """The dicts that are written out and hold names of things under texts."""
    seen = set()
    for places in outline.dicts.values():
        for place in places:
            node = place.node
            if not isinstance(node, ast.Dict) or node in seen or len(node.keys) < _FEWEST:
                continue
            seen.add(node)
            if all(isinstance(item, ast.Name | ast.Attribute) for item in node.values):
                if all(isinstance(constant(key), str) for key in node.keys):
                    yield place


def _variable(place: Place) -> str:
    """The plain name that a table is given; "" where it is given none."""
    match place.statement:
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=value) | ast.AnnAssign(target=ast.Name(id=name), value=value)
        ):
            return name if value is place.node else ""
    return ""


def _reads(outline: Outline, table: Place, name: str) -> Iterator[tuple[ast.expr, Block]]:
    """By what, and where, entries are taken: `NETS[kind]`, `NETS.get(kind)`, `{...}[kind]`."""
    for place in outline.subscripts:
        node = place.node
        if isinstance(node, ast.Subscript) and _is_table(node.value, table, name):
            yield node.slice, place.block
    for place in outline.calls.get("get", ()):
        call = place.node
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.args:
            if _is_table(call.func.value, table, name):
                yield call.args[0], place.block


def _is_table(node: ast.expr, table: Place, name: str) -> bool:
    return node is table.node or (bool(name) and isinstance(node, ast.Name) and node.id == name)


def _is_bound_once(table: Place, name: str) -> bool:
    bindings = table.block.scope.bindings.get(name, [])
    return len(bindings) == 1 and bindings[0].how is How.ASSIGN


def _uses(outline: Outline) -> Counter[str]:
    """Name → how often the file reads it otherwise than to ask for the names in it."""
    found: Counter[str] = Counter()
    asked: set[ast.AST] = set()
    for node in nodes_in(outline.tree):
        match node:
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[ast.Name() as table]):
                asked.add(table)
            case ast.Call(func=func) if last_name(func) in _NAMES_ALONE:
                asked.update([*node.args, *([func.value] if isinstance(func, ast.Attribute) else [])])
            case ast.Name(ctx=ast.Load()) if node not in asked:
                found[node.id] += 1
    return found
