"""Run a project of a few files abstractly, for tests."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from textwrap import dedent

from trainlint.interpreter.evaluation import run_project
from trainlint.interpreter.machine.events import Event
from trainlint.interpreter.machine.run import Run
from trainlint.interpreter.project.modules import Project


def run_files(files: Iterable[tuple[str, str]]) -> tuple[Run, list[Event]]:
    """Execute files, given as paths with their code. Returns the run and what it told."""
    events: list[Event] = []
    trees = [(path, ast.parse(dedent(code))) for path, code in files]
    return run_project(Project(trees), events.append), events


def places(events: Iterable[Event]) -> list[str]:
    """Each event as `path:line OPERATION level`, sorted, once."""
    return sorted({f"{event.path}:{event.node.lineno} {event.happening.name} {event.level}" for event in events})
