"""What the abstract run says of one file alone, for tests that judge or explain a text without a project."""

from __future__ import annotations

import ast

from trainlint.engine.why.executed_lines import ExecutedLines
from trainlint.finding import NOTHING_EXECUTED, Frequencies
from trainlint.interpreter.frequencies import frequencies_by_file
from trainlint.interpreter.operations import execute_project
from trainlint.interpreter.project.modules import UNDECLARED, Declared
from trainlint.source import SourceFile


def frequencies(*sources: SourceFile, declared: Declared = UNDECLARED) -> dict[str, Frequencies]:
    """How often the statements of some files, by their paths, are executed that can be parsed."""
    done = execute_project([(source.path, ast.parse(source.text)) for source in sources], declared=declared)
    return frequencies_by_file(done.visits, lambda link: link)


def executed(source: SourceFile) -> ExecutedLines:
    """The operations of a file that can be parsed, and how its lines are executed."""
    path = source.path
    done = execute_project([(path, ast.parse(source.text))], [path])
    found = frequencies_by_file(done.visits, lambda link: link)
    return ExecutedLines(path, done.operations.get(path, ()), found.get(path, NOTHING_EXECUTED), done.untold[path])
