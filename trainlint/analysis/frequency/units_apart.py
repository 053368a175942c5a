"""Which pieces of a file run by themselves, though they are no functions: what settings choose, and further names.

These are branches that settings decide about, entries of tables of which they choose one, and names such as
`act = Act.apply`, which run what they name only where somebody uses them.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from trainlint.analysis.conditions.branches import conditional_value
from trainlint.analysis.conditions.settings.choice_tables import ChoiceEntry
from trainlint.analysis.syntax.blocks import Block, BlockKind
from trainlint.analysis.syntax.outline import Outline
from trainlint.analysis.syntax.stable_keys import Keys

TOP = ""
"""The key of the top of a file."""
_INSIDE = "?"
"""Between the key of a function and what names a piece of it. No name holds it."""


class UnitApart(NamedTuple):
    """A piece of code."""

    key: str
    name: str
    """The name that code which runs must use for this to run; "" where nothing need name it."""
    within: tuple[str, ...]
    """The key of the function or piece around it."""
    nodes: tuple[ast.AST, ...]
    """Its statements or expressions."""


def branch_keys(outline: Outline, keys: Keys, decided: Collection[int]) -> dict[int, str]:
    """Some branches, by the numbers of their blocks, with their keys: in each function they are counted."""
    found: dict[int, str] = {}
    counts: dict[str, int] = {}
    for number in sorted(decided):
        function = outline.functions_around[number]
        home = keys.function(function) if function is not None else TOP
        counts[home] = counts.get(home, 0) + 1
        found[number] = f"{home}{_INSIDE}{counts[home]}"
    return found


def units_apart(
    outline: Outline, keys: Keys, branches: Mapping[int, str], entries: Sequence[ChoiceEntry]
) -> Iterator[UnitApart]:
    """The pieces of a file: `branches` by the numbers of their blocks, `entries` of tables, and further names."""
    nodes = _nodes(outline, branches)
    for number, key in branches.items():
        around = _around(outline, keys, outline.blocks[number].parent, branches)
        yield UnitApart(key, "", (around,), tuple(nodes.get(number, ())))
    for entry in entries:
        yield UnitApart(entry.key, "", (_around(outline, keys, entry.block, branches),), (entry.value,))
    for statement in outline.tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Attribute(value=ast.Name(id=cls), attr="apply")):
                if cls in outline.classes and name not in outline.classes:
                    yield UnitApart(f"{_INSIDE}{name}", name, (), (statement,))


def function_around(key: str) -> str:
    """The key of the function, or of the top, in which a piece stands, by the piece's key; of functions their own."""
    return key.partition(_INSIDE)[0]


def _nodes(outline: Outline, branches: Mapping[int, str]) -> dict[int, list[ast.AST]]:
    """The statements that stand directly in each of some branches, or its value in a conditional expression."""
    found: dict[int, list[ast.AST]] = {}
    for statement, block in outline.block_of.items() if branches else ():
        if block.number in branches:
            found.setdefault(block.number, []).append(statement)
    for number in branches:
        value = conditional_value(outline.blocks[number])
        if value is not None:
            found[number] = [value]
    return found


def _around(outline: Outline, keys: Keys, block: Block | None, branches: Mapping[int, str]) -> str:
    """The key of the innermost branch or function around a block, itself included."""
    while block is not None:
        if block.number in branches:
            return branches[block.number]
        if block.kind is BlockKind.FUNCTION:
            function = outline.function_of.get(block.node)
            return keys.function(function) if function is not None else TOP
        block = block.parent
    return TOP
