"""What the tests of fixing share: findings made by hand, nodes found by their code, edits made."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterable

from trainlint.finding import Edit, Finding, Fix, Safety, Severity, apply_edits
from trainlint.source import SourceFile, source_from_text


def finding(
    source: SourceFile, start: int, stop: int, *edits: Edit, code: str = "TRN999", safety: Safety = Safety.SAFE
) -> Finding:
    """A finding over the characters [start, stop) whose fix makes the edits; without edits it has no fix."""
    fix = Fix("Change it", edits, safety) if edits else None
    return Finding(code, "some-pattern", source.path, source.span(start, stop), "It costs.", Severity.WARNING, fix=fix)


def read(text: str) -> tuple[SourceFile, ast.Module]:
    """The source and the tree of a text."""
    return source_from_text("train.py", text), ast.parse(text)


def node_of(tree: ast.Module, code: str) -> ast.expr:
    """The first expression whose normal form is `code`."""
    expressions = [node for node in ast.walk(tree) if isinstance(node, ast.expr)]
    return next(node for node in expressions if ast.unparse(node) == code)


def call_of(tree: ast.Module, function: str) -> ast.Call:
    """The first call of `function`."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return next(node for node in calls if ast.unparse(node.func) == function)


def statement_of(tree: ast.Module, code: str) -> ast.stmt:
    """The first statement whose normal form begins with `code`."""
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    return next(node for node in statements if ast.unparse(node).startswith(code))


def edited(source: SourceFile, edits: Edit | Iterable[Edit] | None) -> str:
    """The text with the edits made."""
    assert edits is not None
    return apply_edits(source.text, [edits] if isinstance(edits, Edit) else edits)


def comments(text: str) -> list[str]:
    """All comments of a text, sorted."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return sorted(token.string for token in tokens if token.type == tokenize.COMMENT)
