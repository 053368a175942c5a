"""What the abstract run says of one file alone, for tests that judge or explain a text without a project."""

from __future__ import annotations

import ast

from trainlint.engine.why.executed_lines import ExecutedLines
from trainlint.interpreter.frequencies import frequencies_by_file
from trainlint.interpreter.operations import execute_project
from trainlint.source import SourceFile


def executed(source: SourceFile) -> ExecutedLines:
    """The operations of a file that can be parsed, and how its lines are executed."""
    path = source.path
    done = execute_project([(path, ast.parse(source.text))], [path])
    frequencies = frequencies_by_file(done.visits, lambda link: link)
    return ExecutedLines(path, done.operations.get(path, ()), frequencies[path], done.untold[path])
