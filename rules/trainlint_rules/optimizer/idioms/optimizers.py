"""What one round of training does with its optimizer, in order: backward, clip, step, schedule, clear gradients."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, auto

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.syntax.blocks import Block, BlockKind, Place
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import last_name, position
from trainlint.analysis.tables.clipping import clips_gradients
from trainlint.analysis.tables.optimizers import STEPPED_NAME
from trainlint.analysis.types.values import Kind
from trainlint.analysis.types.vocabulary import SCALER_NAME
from trainlint.patterns import lazy

_SCHEDULER_NAME = lazy(r"(^|_)(lr_?)?sched(ule|uler)?(_?[a-z])?$", re.IGNORECASE)
_CLEARS = lazy(r"^(zero|reset|clear)_?(the_?)?grad(s|ient|ients)?$|^zero_grad", re.IGNORECASE)
_BACKWARDS = frozenset({"backward", "manual_backward"})
_ROUNDS = (BlockKind.LOOP, BlockKind.FUNCTION, BlockKind.MODULE)


class Act(Enum):
    """What a call does for a step of training."""

    BACKWARD = auto()
    CLIP = auto()
    STEP = auto()
    """An optimizer's step, by itself or through a gradient scaler."""
    SCHEDULE = auto()
    """A step of a schedule of learning rates."""
    CLEAR = auto()
    """Gradients are cleared, by an optimizer, a module or a function called so."""


@dataclass(frozen=True, slots=True, eq=False)
class Action:
    """One such call."""

    act: Act
    owner: str
    """As the code writes it: the optimizer that steps or is cleared, the schedule, the loss, what is clipped."""
    place: Place
    sure: bool
    """Whether more than names says what the owner is."""
    closure: bool = False
    """Whether a step is given a function that computes the gradients."""

    @property
    def call(self) -> ast.Call:
        """The call itself."""
        assert isinstance(self.place.node, ast.Call)
        return self.place.node

    @property
    def line(self) -> int:
        """Where it stands."""
        return self.call.lineno


@once
def actions(file: SemanticModel, block: Block) -> list[Action]:
    """The actions in a block and in those inside it, in the order of the text, without those of inner functions."""
    found = _by_round(file).get(round_of(block), ())
    return [action for action in found if action.place.block.within(block)]


@once
def _by_round(file: SemanticModel) -> dict[Block, list[Action]]:
    """All actions of a file by each loop around them and by their function or module, in the order of the text."""
    found: dict[Block, list[Action]] = {}
    for action in sorted(_all(file), key=lambda action: position(action.call)):
        for block in action.place.block.outwards():
            if block.kind in _ROUNDS:
                found.setdefault(block, []).append(action)
            if block.kind is BlockKind.FUNCTION:
                break
    return found


def _all(file: SemanticModel) -> Iterator[Action]:
    for name, places in file.outline.calls.items():
        if name in _BACKWARDS or name == "step" or clips_gradients(name) or _CLEARS.search(name):
            for place in places:
                action = action_of(file, place)
                if action is not None:
                    yield action


def action_of(file: SemanticModel, place: Place) -> Action | None:
    """What one call does for a step of training; None for any other call, as for a simulator's or a profiler's step."""
    call = place.node
    if not isinstance(call, ast.Call):
        return None
    name = last_name(call.func)
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    if name == "step" and owner is not None:
        return _step(file, call, owner, place)
    if name in _BACKWARDS and owner is not None:
        return Action(Act.BACKWARD, ast.unparse(owner), place, sure=True)
    if clips_gradients(name):
        return Action(Act.CLIP, ast.unparse(call.args[0]) if call.args else "", place, sure=True)
    if _CLEARS.search(name):
        return Action(Act.CLEAR, ast.unparse(owner) if owner is not None else "", place, sure=name == "zero_grad")
    return None


def _step(file: SemanticModel, call: ast.Call, owner: ast.expr, place: Place) -> Action | None:
    value = file.kinds.of(owner, place.block)
    name = last_name(owner)
    if value.kind is Kind.SCALER or SCALER_NAME.search(name):
        given = call.args[0] if call.args else None
        return Action(Act.STEP, ast.unparse(given), place, sure=True) if given is not None else None
    if value.kind is Kind.SCHEDULER:
        return Action(Act.SCHEDULE, ast.unparse(owner), place, sure=value.proved)
    if value.kind is Kind.OPTIMIZER or STEPPED_NAME.search(name):
        sure = value.kind is Kind.OPTIMIZER and value.proved
        return Action(Act.STEP, ast.unparse(owner), place, sure=sure, closure=bool(call.args or call.keywords))
    alone = isinstance(place.statement, ast.Expr) and place.statement.value is call and not call.args
    if _SCHEDULER_NAME.search(name) and alone:
        return Action(Act.SCHEDULE, ast.unparse(owner), place, sure=False)
    return None


def always_runs_before(first: Place, second: Place) -> bool:
    """Whether whatever reaches the second place has passed the first one in the same round."""
    block = first.block
    while block.kind is BlockKind.WITH and block.parent is not None:
        block = block.parent
    earlier = isinstance(first.node, ast.expr) and isinstance(second.node, ast.expr)
    return earlier and position(first.statement) < position(second.statement) and second.block.within(block)


def actions_of(found: Iterable[Action], act: Act, owner: str | None = None) -> list[Action]:
    """The actions of one kind, of all owners or of one."""
    return [action for action in found if action.act is act and owner in (None, action.owner)]


def round_of(block: Block) -> Block:
    """The innermost loop or function around a block: one run of it is one round."""
    return next(item for item in block.outwards() if item.kind in _ROUNDS)
