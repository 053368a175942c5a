"""What is executed, and what executing it gave: functions, class bodies and modules, with their arguments."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from trainlint.interpreter.machine.events import Event, Link
from trainlint.interpreter.machine.loaders import Pass
from trainlint.interpreter.values.definitions import Class, Function, Module
from trainlint.interpreter.values.value import Environment, Value

Heat = Literal["cold", "step", "evaluation", "rare", "worker", "off"]
"""How often code runs: once or unknown (`cold`), in each training step, or for something else than training."""
Round = Literal["", "seldom", "epoch", "batches", "loop"]
"""What a loop around repeats: nothing, epochs of training (`seldom`: not in each), batches that are not trained on, or
a part of a step."""
Effect = Literal["trains", "optimizes", "takes_batches", "looped", "epoch", "part", "acts", "acted"] | Class
"""What code does besides its result: it computes gradients, steps an optimizer, takes batches, has its own loop of
training steps (`epoch`: over the batches of a loader; `part`: where no optimizer steps), steps an environment
(`acted`: in its own loop), makes objects of a class."""
ELSEWHERE: Final[frozenset[Heat]] = frozenset({"evaluation", "rare", "worker", "off"})
"""Heats that stay: what is called from there is not part of a training step."""


class Told(NamedTuple):
    """An event, and how many calls deep it was told."""

    event: Event
    depth: int
    start: int
    """How many calls deep its chain begins; negative where it begins in a caller of the body that tells it."""


class Arguments(NamedTuple):
    """The arguments of a call."""

    args: Sequence[Value] = ()
    named: Mapping[str, Value] = {}
    """By name."""
    open: bool = False
    """Whether there may be more than are known, as after `*args`."""
    rest: Value | None = None
    """What any further named argument is, as after `**batch`."""

    @property
    def values(self) -> tuple[Value, ...]:
        """All of them."""
        return (*self.args, *self.named.values())

    def get(self, position: int, name: str) -> Value | None:
        """An argument that may be given by position or name."""
        return self.args[position] if len(self.args) > position else self.named.get(name)


class Remembered(NamedTuple):
    """What executing a body gave."""

    result: Value
    effects: frozenset[Effect] = frozenset()
    told: tuple[Told, ...] = ()
    """What was told, with the depth counted from the body."""
    passes: tuple[Pass, ...] = ()
    """What was gone through of loaders."""
    changes: int = 0
    """How often the object's containers had changed before."""


class Started(NamedTuple):
    """A generator that was called, with what it was given."""

    function: Function
    values: Environment
    self_value: Value | None
    node: ast.AST | None


@dataclass(slots=True, eq=False)
class Frame:
    """A function, class body or module that is being executed."""

    module: Module
    names: Environment
    function: Function | None = None
    """None at the top level of a module, and in a class body."""
    cls: Class | None = None
    """The class whose body this is."""
    scopes: tuple[Environment, ...] = ()
    """Names of the functions around."""
    self_value: Value | None = None
    global_names: set[str] = field(default_factory=set)
    returned: list[Value] = field(default_factory=list)
    yielded: list[Value] = field(default_factory=list)
    leaving: tuple[type[ast.stmt], ...] = ()
    """Statements that leave the loop of training steps that stands here, and thus run once."""
    called_at: ast.AST | None = None
    """The call in the frame before."""
    step: Link | None = None
    """What makes the code that is executed here a training step: a loop, a framework, a presumption."""
    block: Sequence[ast.stmt] = ()
    """The innermost statements of which one is executed."""
    copying: bool = False
    """Whether a copy to the host is under way that nothing has waited for."""
    serves: bool = False
    """Whether this is a generator, executed for the training steps that take what it yields."""
    heat: Heat = "cold"
    """How often the function runs."""
    round: Round = ""
    """What the loops here repeat, within the step where they are in one."""
    behind: Link | None = None
    """The innermost test that makes the code which is executed here run more seldom."""

    @property
    def is_module(self) -> bool:
        """Whether this is the top level of a file."""
        return self.function is None and self.cls is None

    @property
    def title(self) -> str:
        """The name of what is executed, for people."""
        if self.function is not None:
            return self.function.qualified_name
        return "<module>" if self.cls is None else self.cls.name
