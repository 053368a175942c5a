"""How the statements of all files are executed, and which operations of some files nobody is told of."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Final, Literal, NamedTuple

from trainlint.finding import LoopKind
from trainlint.interpreter import bounds
from trainlint.interpreter.machine.events import Happening, Level, Link
from trainlint.interpreter.machine.frame import Frame, Heat, Round
from trainlint.interpreter.machine.run import Run
from trainlint.interpreter.values.definitions import Function

_HOTTEST: Final[tuple[Heat, ...]] = ("step", "worker", "evaluation", "rare", "off", "cold")
_TOLD_FIRST: Final = ("step", "doubtful", *_HOTTEST[1:])
_TELLING: Final = (LoopKind.MICRO, LoopKind.EPOCH, LoopKind.STEP, LoopKind.EVAL)
_OF_MODULES: Final = frozenset({"forward", "backward", "__call__", "__getitem__"})
"""Methods that the whole program runs through: who calls them says nothing of a line in them."""

Doubt = Literal["doubtful"]
"""Of an operation in training steps that may read a tensor, or something else."""
Body = tuple[Function, Heat]
"""A function that is executed so often."""


class Visit(NamedTuple):
    """One way in which a statement is executed."""

    heat: Heat
    round: Round
    """What is repeated there."""
    level: Level
    idle: bool
    way: tuple[Link, ...]
    """What leads there, outermost first: what begins the step, the calls, and the tests that they are behind."""
    body: Body | None
    """The function around, where its callers may repeat the statement."""


class Call(NamedTuple):
    """A call that executes a body."""

    caller: Body | None
    """Where the caller is executed as often as the body."""
    round: Round
    link: Link


Place = tuple[int, int]
"""A line and a column."""


class Visits:
    """Remembers, for each statement, the hottest way to it; of equal ones the first."""

    def __init__(self, asked: Iterable[str]) -> None:
        """`asked` are the files of which the operations are wanted that nobody is told of."""
        self.statements: dict[str, dict[Place, Visit]] = {}
        """Of each file, by line and column."""
        self.parts: dict[str, dict[Place, Visit]] = {}
        """Expressions that are executed less often than their statement."""
        self.kinds: dict[str, dict[Place, LoopKind]] = {}
        """Loops, and calls that train."""
        self.untold: dict[str, dict[tuple[ast.expr | ast.stmt, Happening], Heat | Doubt]] = {path: {} for path in asked}
        """Operations of each outside of training steps, or needed there, with how often they are executed at most."""
        self._calls: dict[Body, dict[Call, None]] = {}
        self._rounds: dict[Body, Round] = {}
        self._here: object = None
        self._last: Visit | None = None

    def see(self, run: Run, statement: ast.stmt) -> None:
        """Watch a run that is about to execute a statement."""
        self._see(run, statement, self.statements)

    def see_part(self, run: Run, node: ast.expr) -> None:
        """The same for an expression that is executed less often than what is around it."""
        self._see(run, node, self.parts)

    def _see(self, run: Run, node: ast.stmt | ast.expr, found: dict[str, dict[Place, Visit]]) -> None:
        if run.quiet:
            return
        frame = run.stack[-1]
        of_file, place = found.setdefault(frame.module.path, {}), (node.lineno, node.col_offset)
        known = of_file.get(place)
        if known is None or _order(run.heat, frame.round) < _order(known.heat, known.round):
            of_file[place] = self._visit(run, frame)

    def _visit(self, run: Run, frame: Frame) -> Visit:
        """How the code is executed that stands here. Neighbours mostly share it."""
        here = frame, run.heat, frame.round, frame.behind, frame.step, run.level, run.idle
        if here != self._here:
            self._here = here
            self._last = Visit(run.heat, frame.round, run.level, run.idle, run.way_here, _body(run, frame))
        assert self._last is not None
        return self._last

    def see_call(self, run: Run, function: Function, heat: Heat, node: ast.AST | None) -> None:
        """A body is executed, or would be if it were not known what it gives."""
        frame = run.stack[-1]
        alike = run.heat == heat
        caller = _body(run, frame) if alike else None
        line, column = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
        link = Link(frame.module.path, line, "", column)
        self._calls.setdefault((function, heat), {})[Call(caller, frame.round if alike else "", link)] = None

    def see_kind(self, run: Run, node: ast.AST, kind: LoopKind) -> None:
        """Of several kinds, as where a function is called in several ways, the one counts that says most."""
        line, column = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
        of_file = self.kinds.setdefault(run.stack[-1].module.path, {})
        if kind is not LoopKind.OTHER:
            of_file[line, column] = min(of_file.get((line, column), kind), kind, key=_TELLING.index)

    def leave_untold(self, run: Run, node: ast.AST, happening: Happening, *, doubtful: bool = False) -> None:
        """Remember an operation that nobody is told of."""
        untold = self.untold.get(run.frame.module.path)
        if untold is not None and isinstance(node, (ast.expr, ast.stmt)):
            heat: Heat | Doubt = "doubtful" if doubtful else run.heat
            known = untold.get((node, happening), heat)
            untold[node, happening] = min(known, heat, key=_TOLD_FIRST.index)

    def round_of(self, visit: Visit) -> Round:
        """What is repeated where a statement stands, also by callers of the function around it."""
        self._rounds = self._rounds or self._settled()
        around = "" if visit.body is None else self._rounds.get(visit.body, "")
        return max(visit.round, around, key=_ROUNDS.index)

    def hot_calls(self) -> Iterator[tuple[Function, tuple[Link, ...]]]:
        """Each function that is called in each training step, with the calls through which it is, nearest first."""
        for function, heat in self._calls:
            if heat == "step":
                yield function, self._calls_to(function)

    def _calls_to(self, function: Function) -> tuple[Link, ...]:
        found: dict[Link, None] = {}
        seen, level = {function}, [function]
        for _ in range(bounds.CALLS_ABOVE):
            above: list[Function] = []
            for called in level:
                if called.name in _OF_MODULES:
                    continue
                for call in self._calls.get((called, "step"), ()):
                    if call.link.line:
                        found[call.link._replace(words=f"calls {called.qualified_name}")] = None
                    if call.caller is not None and call.caller[0] not in seen:
                        seen.add(call.caller[0])
                        above.append(call.caller[0])
            level = above
        return tuple(found)[: bounds.CALL_SITES]

    def _settled(self) -> dict[Body, Round]:
        """What callers repeat of each body."""
        found: dict[Body, Round] = dict.fromkeys(self._calls, "")
        called_by: dict[Body, list[Body]] = {}
        for body, calls in self._calls.items():
            for call in calls:
                found[body] = max(found[body], call.round, key=_ROUNDS.index)
                if call.caller is not None:
                    called_by.setdefault(call.caller, []).append(body)
        waiting = [body for body, around in found.items() if around]
        while waiting:
            body = waiting.pop()
            for called in called_by.get(body, ()):
                if _ROUNDS.index(found[called]) < _ROUNDS.index(found[body]):
                    found[called] = found[body]
                    waiting.append(called)
        return found


_ROUNDS: Final[tuple[Round, ...]] = ("", "seldom", "epoch", "batches", "loop")


def _order(heat: Heat, around: Round) -> tuple[int, int]:
    return _HOTTEST.index(heat), -_ROUNDS.index(around)


def _body(run: Run, frame: Frame) -> Body | None:
    """The function that is executed, unless the code in it is executed more or less often."""
    if frame.function is None or frame.heat != run.heat:
        return None
    return frame.function, frame.heat
