"""A run: what it has found out so far, where it is, and how its parts are called."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple, Protocol

from trainlint.finding import LoopKind
from trainlint.interpreter import bounds
from trainlint.interpreter.bounds import Limit
from trainlint.interpreter.branches.branch import Cold
from trainlint.interpreter.libraries.frameworks import FORWARD_NAME
from trainlint.interpreter.machine.events import Event, Happening, Level, Link, Listener
from trainlint.interpreter.machine.frame import ELSEWHERE, Arguments, Effect, Frame, Heat, Remembered, Started, Told
from trainlint.interpreter.machine.left_out import LeftOut
from trainlint.interpreter.machine.loaders import Loaders, Pass, makings_of
from trainlint.interpreter.project.modules import Project
from trainlint.interpreter.values.definitions import Class, Function, Module
from trainlint.interpreter.values.kinds import UNKNOWN, Place, Tensor, Unknown
from trainlint.interpreter.values.value import Value

_ASKS: Final = frozenset({Happening.TEST, Happening.COMPARE})
"""What asks for options, too, of which mostly nothing is known."""


class Parts(NamedTuple):
    """The functions that execute nodes and calls; passed in, so that their modules need not import each other."""

    statements: Mapping[type[ast.AST], Callable[[Run, Any, Frame], bool | None]]
    """Execute one statement; true if the block ends there."""
    expressions: Mapping[type[ast.AST], Callable[[Run, Any, Frame], Value]]
    call: Callable[[Run, Value, Arguments, ast.AST, Frame], Value]
    """Call a value."""
    attribute: Callable[[Run, Value, str, ast.AST, Frame], Value]
    items: Callable[[Run, Value, ast.AST, Frame], Value]
    """What a loop over a value gives each time."""
    execute_module: Callable[[Run, Module], None]


class Run:
    """The state of an abstract run. The fields are what is known now; they change while the run goes on."""

    def __init__(self, project: Project, parts: Parts, listener: Listener, watch: Watch | None = None) -> None:
        self.project = project
        self.listener = listener
        self.watch = watch
        self._parts = parts
        self._statements, self._expressions = parts.statements, parts.expressions
        # What has been found out
        self.attributes: dict[tuple[Class, str], Value] = {}
        self.changes: dict[Class, int] = {}
        """How often containers have changed that are attributes of objects."""
        self.assigned_off: set[tuple[Class, str]] = set()
        """Attributes that were assigned only behind options that are off by default."""
        self.set_on_others: set[str] = set()
        """Names of attributes that were set on objects which are not known: any object that has one may be meant."""
        self.imports_by_name = False
        """Whether files may be imported that no statement names."""
        self.made: set[Class] = set()
        """Classes of which objects are made, for whatever."""
        self.made_to_train: set[Class] = set()
        """Those of which some code makes objects that may be for training."""
        self.needed: set[ast.AST] = set()
        """Reads of the device that the host cannot do without, such as those of actions for an environment."""
        self.observed: set[ast.AST] = set()
        """Steps of environments: what they give is new in each step, and has to be copied to the device then."""
        self.distributions_check = True
        """Whether distributions check values where they are not told."""
        self.default_place: Place | None = None
        """Where tensors are made if nothing else says so."""
        self.options: dict[str, Value] = {}
        """Options of command lines and of configurations in code, with what they are by default."""
        self.set_options: set[str] = set()
        """Others that code sets to what is not known, or is no flag."""
        self.functions: dict[int, Function] = {}
        """By the identity of their nodes, in the order in which they were met."""
        self.classes: dict[int, Class] = {}
        self.remembered: dict[Function, dict[object, Remembered]] = {}
        """What executing a function gave, by how often it runs and what it is given."""
        self.contexts: dict[Function, dict[str, list[object]]] = {}
        """For each function the keys of `remembered` by its kind of heat: "cold", "step" or "elsewhere"."""
        self.results: dict[Function, Value] = {}
        """What each function has returned so far."""
        self.left_out: dict[LeftOut, None] = {}
        """What a limit has kept from being executed, in the order in which it was met."""
        self.loaders = Loaders()
        # Where it is
        self.stack: list[Frame] = []
        self.loops: list[int] = []
        """The identities of the loops around, in all functions."""
        self.heat: Heat = "cold"
        self.level: Level = "sure"
        self.idle = False
        """Whether the entry is presumed, in a file that no other file imports."""
        self.effects: set[Effect] = set()
        self.told: list[Told] = []
        """What this body has told."""
        self.passes: list[Pass] = []
        """What this body has gone through of loaders."""
        self.quiet = False
        """Whether nothing is told: the body of a loop is executed to see what it does."""
        self.generators: set[Function] = set()
        """Functions that have yielded something."""
        self.started: list[Started] | None = None
        """Generators that were called in the head of a loop, where that is evaluated."""
        self.serving = False
        """Whether the generator that is executed next is so for training steps."""
        self.feeding = False
        """Whether the loop that begins takes batches from a loader."""
        self.learning = False
        """Whether the loop around lets an agent act in one loop, and trains it in another."""
        self.stepped = False
        """Whether this iteration has stepped an optimizer already."""

    def makes(self, cls: Class) -> None:
        """Remember that an object of a class is made here. What tests make says nothing of other programs."""
        if not self.stack[0].module.is_test:
            self.made.update(cls.order)
        if self.heat not in ELSEWHERE:
            self.effects.update(cls.order)

    # How the parts call one another
    def value(self, node: ast.expr, frame: Frame) -> Value:
        """Evaluate an expression."""
        evaluate = self._expressions.get(type(node))
        return UNKNOWN if evaluate is None else evaluate(self, node, frame)

    def block(self, body: Sequence[ast.stmt], frame: Frame) -> bool:
        """Execute statements. Returns whether the block ends before its last statement's successor."""
        module = frame.module
        module.spent += len(body)
        if module.spent > module.allowed:
            self.give_up(frame, Limit.STATEMENTS)
            return True
        heat, behind, around = self.heat, frame.behind, frame.block
        frame.block = body
        ended = False
        for statement in body:
            if self.watch is not None:
                self.watch.see(self, statement)
            execute = self._statements.get(type(statement))
            if execute is not None and execute(self, statement, frame):
                ended = True
                break
        self.heat, frame.behind, frame.block = heat, behind, around
        return ended

    def attempt(self, body: Sequence[ast.stmt], frame: Frame) -> bool:
        """Execute statements, as `block` does; where that crashes, or Python's stack ends, the rest is left out."""
        depth, effects, told, names = len(self.stack), self.effects, self.told, frame.names
        loops, passes = len(self.loops), self.passes
        step, behind, leaving, block = frame.step, frame.behind, frame.leaving, frame.block
        state = self.heat, self.level, self.quiet, self.feeding, self.stepped, self.learning
        try:
            return self.block(body, frame)
        except Exception as error:  # noqa: BLE001  # named in `left_out`: it is to cost this function and no other
            del self.stack[depth:]
            del self.loops[loops:]
            self.effects, self.told, frame.names, self.passes = effects, told, names, passes
            frame.step, frame.behind, frame.leaving, frame.block = step, behind, leaving, block
            self.heat, self.level, self.quiet, self.feeding, self.stepped, self.learning = state
            self.give_up(frame, Limit.NESTING, error)
            return False

    def spend(self, frame: Frame, items: int) -> None:
        """Count items that are evaluated, or names that are copied, as statements."""
        frame.module.spent += items // bounds.NAMES_A_STATEMENT

    def give_up(self, frame: Frame, limit: Limit, error: Exception | None = None) -> None:
        """Leave out the rest of what is executed in a frame; a function may return anything then."""
        node = frame.function.node if frame.function is not None else None if frame.cls is None else frame.cls.node
        self.leave_out(LeftOut(frame.module.path, 1 if node is None else node.lineno, frame.title, limit), error)
        frame.returned.append(UNKNOWN)

    def leave_out(self, what: LeftOut, error: Exception | None = None) -> None:
        """Remember that something is not executed: because of its limit, or of an error but that of Python's stack."""
        if error is not None and not isinstance(error, RecursionError):
            what = what._replace(limit=Limit.CRASH, error=f"{type(error).__name__}: {error}")
        self.left_out[what] = None

    def call(self, value: Value, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
        """Call a value."""
        return self._parts.call(self, value, arguments, node, frame)

    def attribute(self, base: Value, name: str, node: ast.AST, frame: Frame) -> Value:
        """An attribute of a value."""
        return self._parts.attribute(self, base, name, node, frame)

    def items(self, value: Value, node: ast.AST, frame: Frame) -> Value:
        """What a loop over a value gives each time."""
        return self._parts.items(self, value, node, frame)

    def execute_module(self, module: Module) -> None:
        """Execute the top level of a module, unless that was done."""
        if not module.executed:
            self._parts.execute_module(self, module)

    # Where it is
    @property
    def frame(self) -> Frame:
        """The innermost function."""
        return self.stack[-1]

    def cooled(self, cold: Cold) -> Heat:
        """How often a branch runs of which a test says so much."""
        if not cold or self.heat in ELSEWHERE:
            return self.heat
        if self.heat == "cold":
            return "cold" if cold == "rare" else cold
        return cold

    def look_at(self, node: ast.expr, around: Heat) -> None:
        """Show an expression that is executed now, if it is executed less often than what is around it."""
        if self.watch is not None and self.heat != around:
            self.watch.see_part(self, node)

    def look_at_call(self, function: Function, heat: Heat, node: ast.AST | None) -> None:
        """Show a call of a function of the project."""
        if self.watch is not None:
            self.watch.see_call(self, function, heat, node)

    def look_at_kind(self, node: ast.AST, kind: LoopKind) -> None:
        """Show what an iteration of a loop, or a call, is in units of training."""
        if self.watch is not None:
            self.watch.see_kind(self, node, kind)

    # Loaders
    def begin_pass(self, source: Value, node: ast.AST, frame: Frame) -> None:
        """Something goes through a loader from its start."""
        link = Link(frame.module.path, getattr(node, "lineno", 0), "goes through the loader")
        self.passed([Pass(making, link) for making in makings_of(source)])

    def passed(self, passes: Iterable[Pass]) -> None:
        """The same, for what a body has done that is not executed again."""
        for one in passes:
            self.loaders.passed(one, self.loops, in_step=self.heat == "step")
            if one not in self.passes:
                self.passes.append(one)

    def take_batches(self, source: Value, node: ast.AST, frame: Frame) -> None:
        """Batches of a loader are taken."""
        if self.heat == "step":
            link = Link(frame.module.path, getattr(node, "lineno", 0), "takes batches")
            self.loaders.trains(makings_of(source), link)

    def copy_batch(self, batch: Tensor) -> None:
        """A tensor is copied to the device."""
        if self.heat != "worker":  # a generator copies before the loop that trains begins
            self.loaders.copied(batch.makings)

    # What it tells
    def tell(self, node: ast.AST, happening: Happening, what: str, value: Value | None = None) -> None:
        """Tell the listener of an operation, if it is executed in training steps."""
        if self.quiet or not isinstance(node, (ast.expr, ast.stmt)):
            return
        if self.heat != "step" or self._is_left_out(node, happening):
            if self.watch is not None:
                self.watch.leave_untold(self, node, happening)
            return
        start = self._start
        event = Event(
            self.frame.module.path,
            node,
            happening,
            what,
            value,
            self.level,
            self._chain(start),
            self._in_forward,
            0 if self.frame.function is None else self.frame.function.node.lineno,
            self.idle,
        )
        self._note(Told(event, len(self.stack), start))
        self.listener(event)

    def tell_again(self, told: Sequence[Told], function: Function, node: ast.AST | None) -> None:
        """Tell what a function tells that is not executed again, with the calls that reach it here."""
        if not told:
            return
        depth = len(self.stack) + 1
        start = self._start
        way = (*self._chain(start), _call(self.frame, function.qualified_name, node))
        for one in told:
            again, begins = one.event, depth - 1 + one.start
            if again.node in self.needed or (one.start < 0 and self._is_left_out(again.node, again.happening)):
                continue
            if one.start < 0:
                inner = again.chain[1:][-one.depth :] if one.depth else ()
                again = again._replace(level=self.level, chain=_shortened((*way, *inner)), idle=self.idle)
                begins = start
            self._note(Told(again, depth + one.depth, begins))
            self.listener(again)

    def _note(self, told: Told) -> None:
        if len(self.told) < bounds.TOLD_AGAIN:
            self.told.append(told)

    @property
    def _start(self) -> int:
        """The innermost frame that begins a training step; 0 where none does."""
        return next((place for place in range(len(self.stack) - 1, 0, -1) if self.stack[place].step is not None), 0)

    def _chain(self, start: int) -> tuple[Link, ...]:
        """What begins the step, and the calls that lead from there to here, outermost first."""
        return _shortened(tuple(link for link, _ in self._links(start) if link is not None))

    @property
    def way_here(self) -> tuple[Link, ...]:
        """What leads here, outermost first: what begins the step, the calls, and the tests that they are behind."""
        return tuple(link for pair in self._links(self._start) for link in pair if link is not None)

    def _links(self, start: int) -> Iterator[tuple[Link | None, Link | None]]:
        """What begins the step, and each call from there to here, with the test that the code in it is behind."""
        frames = self.stack[start:]
        yield frames[0].step, frames[0].behind
        for around, inner in pairwise(frames):
            called = None if inner.called_at is None else _call(around, inner.title, inner.called_at)
            yield called, inner.behind

    def _is_left_out(self, node: ast.AST, happening: Happening) -> bool:
        """Whether an operation is needed, or costs nothing in a program that trains on the host."""
        if node in self.needed:
            return True
        return happening is not Happening.COLLECT and self.level == "sure" and self.stack[0].module.trains_on_host

    @property
    def _in_forward(self) -> bool:
        """Whether a forward pass is around."""
        return any(FORWARD_NAME.search(frame.function.name) for frame in self.stack if frame.function is not None)

    def reads(self, node: ast.AST, value: Value, happening: Happening, what: str, *, structures: bool = False) -> bool:
        """The host needs this value: tell it if it is a tensor of the device.

        `structures`: also if it may be a structure of tensors, since none could be read so.
        """
        if isinstance(value, Tensor) and value.place not in ("device", "unknown"):
            return False
        if not isinstance(value, Tensor) or (value.container and not structures):
            doubtful = isinstance(value, Tensor) or (isinstance(value, Unknown) and happening not in _ASKS)
            if doubtful and self.watch is not None and self.heat == "step":
                self.watch.leave_untold(self, node, happening, doubtful=True)
            return False
        self.tell(node, happening, what, value)
        return True


class Watch(Protocol):
    """Who wants to know what a run does besides what it tells its listener."""

    def see(self, run: Run, statement: ast.stmt) -> None:
        """A statement is about to be executed."""

    def see_part(self, run: Run, node: ast.expr) -> None:
        """An expression is about to be executed, less often than what is around it."""

    def see_call(self, run: Run, function: Function, heat: Heat, node: ast.AST | None) -> None:
        """A body is about to be executed, or what it gave is remembered."""

    def see_kind(self, run: Run, node: ast.AST, kind: LoopKind) -> None:
        """It is known what an iteration of a loop, or a call, is in units of training."""

    def leave_untold(self, run: Run, node: ast.AST, happening: Happening, *, doubtful: bool = False) -> None:
        """An operation is executed that the listener is not told of; `doubtful`: it may read no tensor."""


def _shortened(chain: tuple[Link, ...]) -> tuple[Link, ...]:
    """The beginning of a chain and its innermost calls."""
    return chain if len(chain) <= bounds.CHAIN else (chain[0], *chain[-bounds.CHAIN + 1 :])


def _call(around: Frame, called: str, node: ast.AST | None) -> Link:
    return Link(around.module.path, getattr(node, "lineno", 0), f"calls {called}", getattr(node, "col_offset", 0))
