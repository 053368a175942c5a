"""The source of a rule's module, asked by line: which statement ran, and what stands before and around it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)


@dataclass(slots=True, eq=False)
class RuleSource:
    """A module's statements by line, and the way outwards."""

    text: str
    by_line: dict[int, ast.stmt] = field(default_factory=dict)
    """For a compound statement, only the lines of its header."""
    parents: dict[ast.AST, ast.AST] = field(default_factory=dict)

    def written(self, expression: ast.expr) -> str:
        """An expression as the rule writes it, on one line."""
        return " ".join((ast.get_source_segment(self.text, expression) or ast.unparse(expression)).split())

    def around(self, statement: ast.stmt) -> ast.stmt | None:
        """The statement around another one, within the same function."""
        outer = self.parents.get(statement)
        while outer is not None and not isinstance(outer, ast.stmt):
            outer = self.parents.get(outer)
        return None if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) else outer

    def is_within(self, statement: ast.stmt, other: ast.stmt) -> bool:
        """Whether a statement is another one or stands in it, within the same function."""
        found: ast.stmt | None = statement
        while found is not None and found is not other:
            found = self.around(found)
        return found is other

    def alternatives(self, statement: ast.stmt) -> list[ast.If]:
        """The tests that were false on the way to a statement, in source order; empty where there are none.

        Those right before it, each of which could have left the function, also where they stand in a loop; or else
        those of the `if` whose `else` it stands in.
        """
        outer = self.parents.get(statement)
        for name in ("body", "orelse", "finalbody"):
            siblings = getattr(outer, name, None)
            if not isinstance(siblings, list) or statement not in siblings:
                continue
            before: list[ast.If] = []
            for sibling in reversed(siblings[: siblings.index(statement)]):
                exits = list(_exits(sibling))
                if not exits:
                    break
                before = exits + before
            if name == "orelse" and isinstance(outer, ast.If) and not before:
                return self.with_those_above(outer)
            return before
        return []

    def _above(self, statement: ast.If) -> list[ast.If]:
        """The `if` and the `elif`s above an `elif`."""
        outer = self.parents.get(statement)
        if isinstance(outer, ast.If) and outer.orelse == [statement]:
            return [*self._above(outer), outer]
        return []

    def with_those_above(self, statement: ast.If) -> list[ast.If]:
        """An `elif` with all tests above it in its chain, in source order."""
        return [*self._above(statement), statement]


def chain(statement: ast.If) -> Iterator[ast.If]:
    """An `if` and its `elif`s."""
    yield statement
    if len(statement.orelse) == 1 and isinstance(statement.orelse[0], ast.If):
        yield from chain(statement.orelse[0])


def _exits(statement: ast.stmt) -> Iterator[ast.If]:
    """The tests of a statement under which a function may be left; none where it holds no such test."""
    if isinstance(statement, ast.If) and any(isinstance(node, _LEAVING) for node in ast.walk(statement)):
        yield from chain(statement)
    elif isinstance(statement, ast.For | ast.AsyncFor | ast.While):
        for inner in statement.body:
            yield from _exits(inner)


@lru_cache(maxsize=64)
def rule_source(file: str) -> RuleSource | None:
    """The source of a rule's module; None where it cannot be read."""
    try:
        text = Path(file).read_text(encoding="utf-8")
        tree = ast.parse(text)
    except (OSError, SyntaxError, ValueError):
        return None
    found = RuleSource(text)
    for node in ast.walk(tree):
        for child in ast.iter_child_nodes(node):
            found.parents[child] = node
        if isinstance(node, ast.stmt) and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for line in range(node.lineno, last_header_line(node) + 1):
                found.by_line.setdefault(line, node)
    return found


def last_header_line(node: ast.stmt) -> int:
    """The last line of a simple statement, or of a compound one's header."""
    if not hasattr(node, "body"):
        return node.end_lineno or node.lineno
    header = (child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt))
    return max((getattr(child, "end_lineno", node.lineno) for child in header), default=node.lineno)
