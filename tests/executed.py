"""What the abstract run says of one file alone, for tests that judge or explain a text without a project."""

from __future__ import annotations

import ast

from trainlint.engine.why.executed_lines import ExecutedLines
from trainlint.interpreter.operations import execute_project
from trainlint.source import SourceFile


def executed(source: SourceFile) -> ExecutedLines:
    """The operations of a file that can be parsed, and how its lines are executed."""
    path = source.path
    done = execute_project([(path, ast.parse(source.text))], [path])
    return ExecutedLines(path, done.operations.get(path, ()), done.visits[path], done.untold[path])
