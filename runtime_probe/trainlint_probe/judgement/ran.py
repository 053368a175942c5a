"""Which lines of the user's files surely ran: those at which something was seen, and what Python runs on the way there.

To come to a statement, Python has run those before it in its block, and the headers of all blocks around it.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

from trainlint.bounded import SOURCE_BYTES, read_bounded
from trainlint.evidence import Line, Run
from trainlint.finding import Finding
from trainlint_probe.judgement.verdicts import SINCE_THE_START

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_Lines = Mapping[str, Set[int]]
"""Path → numbers of lines."""


@dataclass(frozen=True, slots=True)
class Ran:
    """Lines that ran. Of all others it is not known."""

    ever: _Lines = field(default_factory=dict)
    in_steps: _Lines = field(default_factory=dict)
    """While the measured steps were taken."""

    def has_run(self, finding: Finding) -> bool:
        """Whether the line of a finding ran at any time."""
        return finding.span.start_line in self.ever.get(finding.path, ())

    def has_run_in_steps(self, finding: Finding) -> bool:
        """Whether it ran in the measured steps."""
        return finding.span.start_line in self.in_steps.get(finding.path, ())


NOT_KNOWN = Ran()


def lines_that_ran(run: Run) -> Ran:
    """The lines of the files that a run has lines of. What is no readable Python has none but those that were seen."""
    in_steps, ever = _lines_by_path(_lines_in_steps(run)), _lines_by_path(_lines_of_start(run))
    for path, lines in in_steps.items():
        ever[path] |= lines
    way: dict[str, set[int]] = {}
    step: dict[str, set[int]] = {}
    for path, lines in ever.items():
        body = _body(path)
        way[path] = lines | _on_the_way(body, lines)
        own = in_steps.get(path, set())
        step[path] = own | {
            line for block in _blocks_that_run_as_one(body) for line in _on_the_way(block, own, own=True)
        }
    return Ran(way, step)


def _lines_in_steps(run: Run) -> Iterator[Line | None]:
    yield from (item.at for item in run.seen if item.symptom not in SINCE_THE_START)
    yield from (item.at for item in run.lines)
    yield from (loader.drawn_at for loader in run.loaders)
    yield from (optimizer.stepped_at for optimizer in run.optimizers)


def _lines_of_start(run: Run) -> Iterator[Line | None]:
    yield from (item.at for item in run.seen)
    yield from (loader.made_at for loader in run.loaders)
    yield from (optimizer.made_at for optimizer in run.optimizers)


def _lines_by_path(lines: Iterator[Line | None]) -> dict[str, set[int]]:
    found: dict[str, set[int]] = defaultdict(set)
    for line in lines:
        if line is not None:
            found[line.path].add(line.line)
    return found


def _body(path: str) -> Sequence[ast.stmt]:
    try:
        return ast.parse(read_bounded(path, SOURCE_BYTES)).body
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return ()  # who judges the file says what is wrong with it


def _blocks_that_run_as_one(body: Sequence[ast.stmt]) -> Iterator[Sequence[ast.stmt]]:
    """The bodies of loops and functions: a statement in one has run in the same round, or call, as those before it."""
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, _LOOPS + _FUNCTIONS):
                yield node.body


def _on_the_way(block: Sequence[ast.stmt], lines: Set[int], *, own: bool = False) -> set[int]:
    """The lines that Python runs before it comes to some lines. With `own`, loops and functions are not entered."""
    last = max((number for number, each in enumerate(block) if _holds(each, lines, own=own)), default=-1)
    found: set[int] = set()
    for statement in block[: last + 1]:
        inner = [each for each in _blocks(statement) if each]
        end = min((each[0].lineno - 1 for each in inner), default=statement.end_lineno or statement.lineno)
        found.update(range(_first_line(statement), max(end, statement.lineno) + 1))
        if not (own and isinstance(statement, _LOOPS + _FUNCTIONS)):
            for each in inner:
                found |= _on_the_way(each, lines, own=own)
    return found


def _holds(statement: ast.stmt, lines: Set[int], *, own: bool) -> bool:
    """Whether one of the lines is in a statement: with `own`, outside of the loops and functions in it."""
    spans = range(_first_line(statement), (statement.end_lineno or statement.lineno) + 1)
    if not own:
        return any(line in lines for line in spans)
    inside = {
        line
        for node in ast.walk(statement)
        if isinstance(node, _LOOPS + _FUNCTIONS)
        for line in range(node.body[0].lineno, (node.body[-1].end_lineno or 0) + 1)
    }
    return any(line in lines and line not in inside for line in spans)


def _first_line(statement: ast.stmt) -> int:
    decorators = getattr(statement, "decorator_list", [])
    return min((each.lineno for each in decorators), default=statement.lineno)


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The blocks of a compound statement."""
    for name in ("body", "orelse", "finalbody"):
        yield getattr(statement, name, [])
    for handler in (*getattr(statement, "handlers", []), *getattr(statement, "cases", [])):
        yield handler.body
