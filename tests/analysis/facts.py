"""Snippets that say in a comment what the model should know of a line: `loss.item()  #= step`."""

from __future__ import annotations

import ast
import textwrap

from tests.executed import frequencies
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.syntax.blocks import Block
from trainlint.config import Config
from trainlint.finding import NOTHING_EXECUTED
from trainlint.interpreter.project.modules import Declared
from trainlint.source import source_from_text

MARK = "#="


def file_model(
    code: str, path: str = "train.py", *, hot: tuple[str, ...] = (), cold: tuple[str, ...] = ()
) -> SemanticModel:
    """The model of a snippet."""
    source = source_from_text(path, textwrap.dedent(code))
    config = Config(hot=hot, cold=cold)
    executed = frequencies(source, declared=Declared(frozenset(hot), frozenset(cold)))
    return SemanticModel(source, ast.parse(source.text), config, frequencies=executed.get(path, NOTHING_EXECUTED))


def marked(model: SemanticModel) -> list[tuple[ast.stmt, Block, str]]:
    """The innermost statement that starts on each marked line, its block, and what the mark says."""
    found: dict[int, tuple[ast.stmt, Block, str]] = {}
    for statement, block in model.outline.block_of.items():
        _, mark, said = model.source.line(statement.lineno).partition(MARK)
        if mark:
            found[statement.lineno] = statement, block, said.strip()
    lines = {number for number, line in enumerate(model.source.text.split("\n"), 1) if MARK in line}
    assert lines == set(found), "each mark stands on the first line of a statement"
    assert found, "the snippet says what it expects"
    return [found[line] for line in sorted(found)]


def value_of(statement: ast.stmt) -> ast.expr:
    """The expression that a marked statement is about: what it assigns, returns or is."""
    value = getattr(statement, "value", None)
    assert isinstance(value, ast.expr)
    return value
