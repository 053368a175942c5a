"""What a run finds, as plain data without syntax trees: each operation once, with the calls that lead to it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable
from typing import Final, NamedTuple

from trainlint.interpreter import bounds
from trainlint.interpreter.bounds import Limit
from trainlint.interpreter.evaluation import run_project
from trainlint.interpreter.machine.events import Certainty, Event, Happening, Link
from trainlint.interpreter.machine.frame import Heat
from trainlint.interpreter.machine.left_out import LeftOut
from trainlint.interpreter.machine.loaders import ExecutedLoader
from trainlint.interpreter.project.modules import UNDECLARED, Declared, Project
from trainlint.interpreter.visits import Doubt, Visits

_SUREST: Final[tuple[Certainty, ...]] = ("certain", "likely", "guess")


class Position(NamedTuple):
    """Where a node stands: lines are counted from 1, columns in bytes from 0, as in `ast`."""

    line: int
    column: int
    end_line: int
    end_column: int


class Operation(NamedTuple):
    """Something that waits or copies in each training step."""

    position: Position
    happening: Happening
    certainty: Certainty
    """That of the surest way to it."""
    chain: tuple[Link, ...] = ()
    """What begins the step, and the calls on that way."""
    source: str = ""
    """What the value that is read or copied was made from."""
    way: tuple[str, ...] = ()
    """How that value came here."""
    calls: tuple[Link, ...] = ()
    """The calls through which it is executed, on all ways; of each way the nearest first."""
    called: bool = True
    """Whether the surest way begins in a program, or in what a framework calls: not in a function that nothing in sight
    calls."""
    in_forward: bool = False
    """Whether it is executed in a forward pass."""
    function: int = 0
    """The line of the function around; 0 at the top level of a file."""
    alike: tuple[Position, ...] = ()
    """Further copies of parts of the same batch, which are no operations of their own here."""
    loader: ExecutedLoader | None = None
    """What becomes of the loader that is made."""

    def with_links(self, changed: Callable[[Link], Link]) -> Operation:
        """The same with each of its links changed."""
        use = self.loader
        if use is not None:
            begun, again, trains = (link and changed(link) for link in (use.begun, use.again, use.trains))
            use = use._replace(begun=begun, again=again, trains=trains)
        return self._replace(chain=tuple(map(changed, self.chain)), calls=tuple(map(changed, self.calls)), loader=use)


class Executed(NamedTuple):
    """What executing a project gave."""

    operations: dict[str, tuple[Operation, ...]]
    """Those of each file, in their order."""
    visits: Visits
    """How the statements of each file are executed."""
    untold: dict[str, dict[Operation, Heat | Doubt]]
    """Operations of the files that were asked about which are none of a training step, or needed there, and how often
    they are executed."""
    left_out: tuple[LeftOut, ...] = ()
    """What a limit has kept from being executed, but for further ways to call a function: these add little."""


def execute_project(
    files: Iterable[tuple[str, ast.Module]],
    asked: Collection[str] = (),
    turned_on: frozenset[str] = frozenset(),
    declared: Declared = UNDECLARED,
) -> Executed:
    """Execute a project. Takes paths below its root with their trees, and the paths of files to be asked about.

    `turned_on` are options that files beside the code set: what they are by default says nothing then. `declared` is
    what the user says of functions.
    """
    found: dict[tuple[str, Position, Happening], Operation] = {}

    def hear(event: Event) -> None:
        position = _position(event.node)
        key = (event.path, position, event.happening)
        known = found.get(key)
        calls = tuple(reversed(event.chain[1:]))
        if known is not None:
            calls = tuple(dict.fromkeys((*known.calls, *calls)))[: bounds.CALL_SITES]
            if _SUREST.index(known.certainty) <= _SUREST.index(event.certainty):
                found[key] = known._replace(calls=calls)
                return
        value = event.value
        found[key] = Operation(
            position,
            event.happening,
            event.certainty,
            event.chain,
            getattr(value, "source", ""),
            tuple(getattr(value, "way", ())),
            calls,
            event.level not in ("orphan", "presumed"),
            event.in_forward,
            event.function,
        )

    visits = Visits(asked)
    run = run_project(Project(files, turned_on, declared), hear, visits)
    by_file: dict[str, list[Operation]] = {}
    for making, use in run.loaders:
        made = Operation(_position(making.node), Happening.LOADER, "certain", loader=use)
        by_file.setdefault(making.path, []).append(made)
    for (path, _, _), operation in found.items():
        by_file.setdefault(path, []).append(operation)
    told = {path: _with_batches(sorted(several, key=_order)) for path, several in sorted(by_file.items())}
    executed = {(function.module.path, function.node.lineno) for function, known in run.remembered.items() if known}
    left_out = tuple(one for one in run.left_out if not _adds_little(one, executed))
    untold = {
        path: {Operation(_position(node), what, "guess"): heat for (node, what), heat in of_file.items()}
        for path, of_file in visits.untold.items()
    }
    return Executed(told, visits, untold, left_out)


def _adds_little(left_out: LeftOut, executed: Collection[tuple[str, int]]) -> bool:
    """Whether it is a further way to call a function: in more contexts, or so deep in calls, as in a recursion.

    `executed` are the functions that are executed at least once, by path and line.
    """
    if left_out.limit is Limit.CALLS:
        return (left_out.path, left_out.line) in executed
    return left_out.limit is Limit.CONTEXTS


def _with_batches(operations: list[Operation]) -> tuple[Operation, ...]:
    """The operations of a file, in their order; copies of one batch, side by side in one function, as one of them."""
    batches: dict[tuple[int, Certainty, tuple[str, ...]], int] = {}
    found: list[Operation] = []
    for operation in operations:
        if operation.happening is Happening.BATCH_COPY:
            batch = (operation.function, operation.certainty, operation.way[:1])
            if batch in batches:
                first = found[batches[batch]]
                found[batches[batch]] = first._replace(alike=(*first.alike, operation.position))
                continue
            batches[batch] = len(found)
        found.append(operation)
    return tuple(found)


def _order(operation: Operation) -> tuple[Position, str]:
    return operation.position, operation.happening.name


def _position(node: ast.expr | ast.stmt) -> Position:
    end_line = node.lineno if node.end_lineno is None else node.end_lineno
    return Position(node.lineno, node.col_offset, end_line, node.end_col_offset or node.col_offset)
