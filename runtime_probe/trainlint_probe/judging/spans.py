"""Which statement a line belongs to, and what stands around it."""

from __future__ import annotations

import ast
from typing import NamedTuple

from trainlint.analysis.syntax.written import shortened
from trainlint.engine.why.line_facts import last_header_line


class Branch(NamedTuple):
    """A block that code is in."""

    header: int
    """The line of the `if`, `for`, `def` that begins it."""
    first: int
    """The first line of its body."""
    last: int
    name: str
    """Of a function its name; empty for other blocks."""
    text: str = ""
    """The header in short, as "if step > 3" or "else of if step > 3"."""


class Span(NamedTuple):
    """The lines of a statement, of a compound one those of its header."""

    first: int
    last: int
    around: tuple[Branch, ...] = ()
    """The blocks that it is in, the outermost first."""


def spans_of(tree: ast.Module) -> dict[int, Span]:
    """The statement of each line that holds code; of nested ones the innermost."""
    spans: dict[int, Span] = {}
    waiting: list[tuple[list[ast.stmt], tuple[Branch, ...]]] = [(tree.body, ())]
    while waiting:
        body, around = waiting.pop()
        for statement in body:
            decorators = getattr(statement, "decorator_list", [])
            first = min([statement.lineno, *(decorator.lineno for decorator in decorators)])
            span = Span(first, _last(statement), around)
            spans.update(dict.fromkeys(range(span.first, span.last + 1), span))
            waiting.extend((block, (*around, _branch(statement, block, word))) for word, block in _blocks(statement))
    return spans


def _last(statement: ast.stmt) -> int:
    """The last line of a statement, or of its header with all parameters."""
    last = last_header_line(statement)
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        last = max([last, *(getattr(node, "end_lineno", None) or 0 for node in ast.walk(statement.args))])
    return last


def _blocks(statement: ast.stmt) -> list[tuple[str, list[ast.stmt]]]:
    """The bodies of a statement, each with the word that begins it where it is not the first."""
    found = [("", getattr(statement, "body", []))]
    found += [("else of ", getattr(statement, "orelse", [])), ("finally of ", getattr(statement, "finalbody", []))]
    found += [("except of ", handler.body) for handler in getattr(statement, "handlers", [])]
    found += [("case of ", case.body) for case in getattr(statement, "cases", [])]
    return [(word, block) for word, block in found if block]


def _branch(statement: ast.stmt, body: list[ast.stmt], word: str) -> Branch:
    last = body[-1].end_lineno or body[-1].lineno
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        return Branch(statement.lineno, body[0].lineno, last, statement.name, f"def {statement.name}")
    return Branch(statement.lineno, body[0].lineno, last, "", word + shortened(_header(statement)))


def _header(statement: ast.stmt) -> str:
    match statement:
        case ast.If(test=test):
            return f"if {ast.unparse(test)}"
        case ast.While(test=test):
            return f"while {ast.unparse(test)}"
        case ast.For(target=target, iter=items) | ast.AsyncFor(target=target, iter=items):
            return f"for {ast.unparse(target)} in {ast.unparse(items)}"
        case ast.Match(subject=subject):
            return f"match {ast.unparse(subject)}"
        case ast.ClassDef(name=name):
            return f"class {name}"
    return type(statement).__name__.lower()
