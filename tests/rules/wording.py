"""All messages and helps of the rules as their source has them, with their lengths.

`python -m tests.rules.wording` lists them, the longest first.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

RULES = Path(__file__).resolve().parents[2] / "rules" / "trainlint_rules"
MOST_WORDS = 30
_FEWEST = 3
"""Words that a text needs to count as a sentence or clause."""


@dataclass(frozen=True)
class Wording:
    """One text that users read."""

    kind: str
    """"message", "help", or "clause" for what is a part of either."""
    text: str
    """With "{}" for what is filled in."""
    place: str

    @property
    def words(self) -> int:
        """How many words it has. Code between backticks is one."""
        outside = "".join(part if index % 2 == 0 else "code" for index, part in enumerate(self.text.split("`")))
        return len(outside.split())


def wordings() -> list[Wording]:
    """Those of all rules, and of the modules beside them."""
    return [wording for path in sorted(RULES.rglob("*.py")) for wording in _of_file(path)]


def _of_file(path: Path) -> Iterator[Wording]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    constants = {
        target.id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    kinds: dict[ast.AST, str] = {}
    for node in ast.walk(tree):
        for kind, value in _named(node):
            for written in _texts(value, constants):
                kinds[written] = kind
    documentation = {_docstring(node) for node in ast.walk(tree)}
    inner = {part for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)} - {tree}
    for node in ast.walk(tree):
        outer = isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and node not in inner)
        if outer and node not in documentation and (text := _text(node)) is not None and len(text.split()) >= _FEWEST:
            place = f"{path.relative_to(RULES)}:{getattr(node, 'lineno', 0)}"
            yield Wording(kinds.get(node, "clause"), text, place)


def _named(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """What stands for `message` or `help`, as an attribute of a class or as an argument."""
    match node:
        case ast.Assign(targets=[ast.Name(id="message" | "help" as kind)], value=value):
            yield kind, value
        case ast.keyword(arg="message" | "help" as kind, value=value):
            yield kind, value


def _texts(value: ast.expr, constants: dict[str, ast.expr], depth: int = 4) -> Iterator[ast.expr]:
    if depth == 0:
        return
    match value:
        case ast.Constant() | ast.JoinedStr():
            yield value
        case ast.IfExp(body=body, orelse=orelse):
            yield from _texts(body, constants, depth)
            yield from _texts(orelse, constants, depth)
        case ast.Name(id=name) if name in constants:
            yield from _texts(constants[name], constants, depth - 1)
        case ast.Call(func=ast.Attribute(value=template, attr="format")):
            yield from _texts(template, constants, depth)
        case ast.Subscript(value=table) | ast.Call(func=ast.Attribute(value=table, attr="get")):
            yield from _texts(table, constants, depth)
        case ast.Dict(values=values):
            for each in values:
                yield from _texts(each, constants, depth)


def _docstring(node: ast.AST) -> ast.AST | None:
    match node:
        case ast.Expr(value=ast.Constant() as text):
            return text
    return None


def _text(node: ast.AST) -> str | None:
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in parts)
    return None


def main() -> None:
    """Print all texts and their lengths."""
    found = wordings()
    for kind in ("message", "help", "clause"):
        listed = sorted((each for each in found if each.kind == kind), key=lambda each: -each.words)
        lengths = [each.words for each in listed]
        figures = f"median {median(lengths)}, {sum(length > MOST_WORDS for length in lengths)} above {MOST_WORDS}"
        sys.stdout.write(f"{kind}: {len(lengths)}, longest {max(lengths)}, {figures}\n")
        for each in listed:
            sys.stdout.write(f"  {each.words:3} {each.place}: {each.text}\n")


if __name__ == "__main__":
    main()
