"""What loops and calls say of training by themselves: by what stands in them, not by their names.

A training step shows itself by a backward pass, by an optimizer's `step` next to its `zero_grad`, or by one that is
given the loss, as `self.optim.step(loss)`: it runs the backward pass, too. `.step()` alone is no evidence: most loops
that call it without a backward are diffusion samplers, environments and schedulers.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache

from trainlint.analysis.callgraph.skeleton import LoopTrait
from trainlint.analysis.programs.steps import LoopKind, Steps
from trainlint.analysis.programs.trip_counts import iterates_few_literals, runs_once
from trainlint.analysis.syntax.blocks import Block, BlockKind, Function, Place, Position
from trainlint.analysis.syntax.local_calls import LocalCalls
from trainlint.analysis.syntax.names import NAMES, dotted, last_name, names_in, position, root_name, written
from trainlint.analysis.syntax.outline import Outline
from trainlint.analysis.tables.optimizers import SCHEDULE_NAME, STEPPED_NAME
from trainlint.analysis.types.batch_sources import LOADER_NAME, draws_batches, is_batch_source
from trainlint.analysis.types.vocabulary import LOSS_NAME
from trainlint.patterns import lazy

_TRAINING_CALLS = frozenset(
    "train_step training_step run_step train_batch fit_batch optimize_parameters forward_backward "
    "forward_backward_func forward_backward_step train_on_batch manual_backward update_params train_one_step".split()
)
"""Methods that train one step, wherever they are defined."""
_BACKWARD = frozenset({"backward", "manual_backward"})
_SCALER = lazy(r"scaler", re.IGNORECASE)
_MICRO = lazy(r"accum|micro", re.IGNORECASE)
_HELD_OUT = lazy(r"(^|_)(val|valid|validation|test|eval)($|_|loader|_?dl$)", re.IGNORECASE)
_EPOCH = lazy(r"epoch", re.IGNORECASE)
_ENVIRONMENT = lazy(r"(^|_)envs?($|_)", re.IGNORECASE)
_PARTS = lazy(r"loss|optim|model", re.IGNORECASE)
"""What a step iterates over without being a loop over steps: its losses, optimizers, networks."""
_FOR = (ast.For, ast.AsyncFor)
_BODIES = (BlockKind.LOOP, BlockKind.FUNCTION, BlockKind.MODULE)
_BATCH_CALL = lazy(r"batch|next|sample|load|randint|fetch", re.IGNORECASE)


class LoopReader:
    """What the loops and calls of one file say by themselves of training."""

    def __init__(self, outline: Outline, graph: LocalCalls, *, trains: bool) -> None:
        """`trains` is false in a program that updates no parameters: attacks, saliency maps, guided sampling."""
        self.trains = trains
        self.outline = outline
        self.graph = graph
        self._evidence: dict[Block, list[Place]] | None = None

    def evidence(self) -> dict[Block, list[Place]]:
        """Calls that prove a training step, by the innermost loop, function or module block that holds them."""
        if self._evidence is None:
            self._evidence = {}
            for block, places in self.outline.calls_by_loop.items() if self._proofs else ():
                proofs = [place for place in places if place.node in self._proofs]
                if proofs and block is not None:
                    self._evidence[block] = proofs
        return self._evidence

    def proves_step(self, place: Place) -> bool:
        """Whether a call proves that a training step is taken around it."""
        return place.node in self._proofs

    @cached_property
    def _proofs(self) -> set[ast.AST]:
        """The calls that prove a training step: most files have none, as the names of their calls tell."""
        if not self.trains:
            return set()
        return {
            place.node
            for name, places in self.outline.calls.items()
            if name in _BACKWARD or name in _TRAINING_CALLS or name == "step" or _scales(name)
            for place in places
            if self._proves_step(place, name)
        } | self._steps_of_cleared

    def _proves_step(self, place: Place, name: str) -> bool:
        call = place.node
        assert isinstance(call, ast.Call)
        if name in _BACKWARD and isinstance(call.func, ast.Attribute):
            plain = not isinstance(call.func.value, (ast.Call, ast.Constant)) and not self._in_autograd(place.block)
            return plain or _scaled(call)
        if len(call.args) >= 2 and _scales(name) and any(STEPPED_NAME.search(root_name(item)) for item in call.args):
            return True
        if name == "step":
            return _steps_on_loss(call)
        if name not in _TRAINING_CALLS or not isinstance(call.func, ast.Attribute) or call in self.graph.callee:
            return False
        if name == "update_params":
            return bool(STEPPED_NAME.search(last_name(call.func.value)))  # loggers have a method of this name, too
        return True

    @property
    def _steps_of_cleared(self) -> set[ast.AST]:
        """Calls `optimizer.step()` with a `zero_grad()` of the same object in the same loop or function.

        Not where a loop inside holds the backward or iterates batches: that loop tells more.
        """
        cleared = {_stepped(place) for place in self.outline.calls.get("zero_grad", ())} - {None}
        if not cleared:
            return set()
        backward = _blocks_around(self.outline.calls.get("backward", ()))
        telling = [
            loop for loop in self.outline.loop_blocks.values() if loop in backward or self.iterates_batches(loop)
        ]
        around_telling = {_body_around(loop.parent) for loop in telling}
        return {
            place.node
            for place in self.outline.calls.get("step", ())
            if _stepped(place) in cleared and _body_around(place.block) not in around_telling
        }

    def _in_autograd(self, block: Block) -> bool:
        """Whether a block stands in the `backward` of a class, as those of `torch.autograd.Function` have it."""
        function = self.graph.enclosing(block)
        return function is not None and function.name == "backward" and function.owner is not None

    def traits(self, loop: Block) -> LoopTrait:
        """What a loop's own text says of it."""
        if isinstance(loop.node, ast.comprehension):
            return LoopTrait.COMPREHENSION
        words = names_in(loop.node.iter) if isinstance(loop.node, _FOR) else []
        found = LoopTrait.NONE
        for trait, holds in (
            (LoopTrait.BATCHES, self.iterates_batches(loop)),
            (LoopTrait.MICRO, self._is_micro(loop, words)),
            (LoopTrait.FULL_BATCH, self._is_full_batch(loop, words)),
            (LoopTrait.EXPLAINS, self._explains(loop, words)),
            (LoopTrait.ENVIRONMENT, self.acts_on_environment(loop)),
            (LoopTrait.ONCE, runs_once(loop.node)),
            (LoopTrait.STEPPED_BEHIND, self._is_stepped_behind(loop)),
        ):
            if holds:
                found |= trait
        return found

    def _explains(self, loop: Block, words: Sequence[str]) -> bool:
        """Whether a loop over test data runs backwards without a step: saliency maps, attacks."""
        return any(_HELD_OUT.search(word) for word in words) and loop not in self._stepping

    @cached_property
    def _stepping(self) -> set[Block]:
        """The blocks with a call of something's `step` anywhere in them."""
        return _blocks_around(self.outline.calls.get("step", ()))

    def iterates_batches(self, loop: Block) -> bool:
        """Whether a `for` iterates a loader, or a `while` draws its batches with `next`."""
        node = loop.node
        if isinstance(node, _FOR):
            assert loop.parent is not None
            return is_batch_source(node.iter, loop.parent)
        if isinstance(node, ast.While):
            return draws_batches(loop, self._calls(loop))
        return False

    def _calls(self, loop: Block) -> list[Place]:
        return self.outline.calls_by_loop.get(loop, [])

    def _is_micro(self, loop: Block, words: Sequence[str]) -> bool:
        """Whether a loop that holds a backward is a part of a step of the loop around it."""
        node = loop.node
        if not isinstance(node, ast.For):
            return False
        if any(_MICRO.search(word) for word in (*words, last_name(node.target))) or iterates_few_literals(node.iter):
            return True
        outside = _loop_outside(loop)
        if outside is None:
            return False
        if self._draws_its_batch_outside(loop) or _PARTS.search(" ".join(words)):
            return True
        # So does accumulation over a list of batches. A loop over a loader may be a whole pass that makes one step.
        return self._is_stepped_behind(loop) and not self.iterates_batches(loop)

    def _is_stepped_behind(self, loop: Block) -> bool:
        """Whether the loop or function around takes the optimizer's step behind this one, which takes none."""
        around = _body_around(loop.parent)
        last = self._last_steps.get(around) if around is not None else None
        return (
            last is not None
            and isinstance(loop.node, ast.For)
            and loop not in self._stepping
            and (last > position(loop.node))
        )

    @cached_property
    def _last_steps(self) -> dict[Block, Position]:
        """Loop, function or module block → where the last step of an optimizer stands directly in it."""
        found: dict[Block, Position] = {}
        for place in self.outline.calls.get("step", ()):
            body, call = _body_around(place.block), place.node
            if body is None or not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
                continue
            if STEPPED_NAME.search(last_name(call.func.value)):
                found[body] = max(position(call), found.get(body, (0, 0)))
        return found

    def _draws_its_batch_outside(self, loop: Block) -> bool:
        """Whether a loop around yields the batch that this one trains on, whole or in parts, several times.

        So do PPO's epochs, and micro-batches in a `while` that draws its batches with `next`.
        """
        around = _loop_outside(loop)
        while around is not None:
            node = around.node
            if isinstance(node, ast.While) and self.iterates_batches(around):
                return not self.iterates_batches(loop)
            if isinstance(node, ast.For) and self.iterates_batches(around):
                return not LOADER_NAME.search(last_name(node.target))  # a loop over loaders draws no batch
            around = _loop_outside(around)
        return False

    def _is_full_batch(self, loop: Block, words: Sequence[str]) -> bool:
        """Whether a loop over epochs trains on one fixed batch: one step an epoch, so nothing in it is hot."""
        node = loop.node
        if not isinstance(node, ast.For):
            return False
        if not any(_EPOCH.search(word) for word in (last_name(node.target), *words)):
            return False
        calls = [last_name(place.node.func) for place in self._calls(loop) if isinstance(place.node, ast.Call)]
        return not any(_BATCH_CALL.search(name) for name in calls) and loop not in self._nested

    @cached_property
    def _nested(self) -> set[Block]:
        """The loops with loops directly in them."""
        return {
            around
            for block in self.outline.loop_blocks.values()
            if not isinstance(block.node, ast.comprehension) and (around := _loop_outside(block)) is not None
        }

    def acts_on_environment(self, loop: Block) -> bool:
        """Whether a loop steps a simulator: actions must reach the host, and only what trains counts as a step."""
        return loop in self._simulator_blocks

    @cached_property
    def _simulator_blocks(self) -> set[Block]:
        """The blocks with a step of a simulator anywhere in them."""
        return _blocks_around(
            place
            for place in self.outline.calls.get("step", ())
            if isinstance(place.node, ast.Call)
            and isinstance(place.node.func, ast.Attribute)
            and _ENVIRONMENT.search(last_name(place.node.func.value))
        )


class Loops:
    """What each loop and function of one file is in units of training."""

    def __init__(self, reader: LoopReader, steps: Steps, numbers: dict[Function, int]) -> None:
        self.reader = reader
        self.steps = steps
        self.numbers = numbers

    def evidence(self) -> dict[Block, list[Place]]:
        """Calls that prove a training step, by the innermost loop, function or module block that holds them."""
        return self.reader.evidence()

    def kind(self, loop: Block) -> LoopKind:
        """What one iteration of this loop is."""
        return self.steps.kind(loop.number)

    def summary(self, function: Function) -> LoopKind | None:
        """What one call of a function is: a STEP, an EPOCH (it holds a training loop), or nothing known."""
        return self.steps.summary(self.numbers[function])

    def iterates_batches(self, loop: Block) -> bool:
        """Whether a `for` iterates a loader, or a `while` draws its batches with `next`."""
        return self.reader.iterates_batches(loop)

    def acts_on_environment(self, loop: Block) -> bool:
        """Whether a loop steps a simulator: actions must reach the host, and only what trains counts as a step."""
        return self.reader.acts_on_environment(loop)


def _stepped(place: Place) -> tuple[str, Block | None] | None:
    """What a method is called on, by its dotted name, and the innermost loop or function around the call."""
    call = place.node
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    name = dotted(call.func.value)
    return (name, _body_around(place.block)) if name is not None else None


def _body_around(block: Block | None) -> Block | None:
    """The innermost loop, function or module block around code: its own block, or one further out."""
    while block is not None and block.kind not in _BODIES:
        block = block.parent
    return block


@lru_cache(NAMES)
def _scales(name: str) -> bool:
    return _SCALER.search(name) is not None


def _blocks_around(places: Iterable[Place]) -> set[Block]:
    """All blocks around places."""
    found: set[Block] = set()
    for place in places:
        block: Block | None = place.block
        while block is not None and block not in found:
            found.add(block)
            block = block.parent
    return found


def _scaled(call: ast.Call) -> bool:
    """`scaler.scale(loss).backward()` and `(loss / n).mean().backward()`: a call's result may be the loss."""
    func = call.func
    return (
        isinstance(func, ast.Attribute) and isinstance(func.value, ast.Call) and last_name(func.value.func) != "super"
    )


def _steps_on_loss(call: ast.Call) -> bool:
    """Whether an optimizer, by its name, is given the loss: `optimizer.step(loss)`. Schedules are given scores."""
    if len(call.args) != 1 or not isinstance(call.func, ast.Attribute):
        return False
    stepped = last_name(call.func.value)
    is_optimizer = STEPPED_NAME.search(stepped) is not None and SCHEDULE_NAME.search(stepped) is None
    return is_optimizer and LOSS_NAME.search(last_name(call.args[0])) is not None


def _loop_outside(loop: Block) -> Block | None:
    return loop.parent.innermost_loop() if loop.parent is not None else None


def describe_loop(loop: Block) -> str:
    """A loop in words, as in "line 88: for batch in train_loader"."""
    node = loop.node
    if isinstance(node, _FOR):
        target = _short(node.target)
        bare = target[1:-1] if isinstance(node.target, ast.Tuple) and target.endswith(")") else target
        return f"line {node.lineno}: for {bare} in {_short(node.iter)}"
    if isinstance(node, ast.While):
        return f"line {node.lineno}: while {_short(node.test)}"
    return "a comprehension"


def _short(node: ast.AST) -> str:
    text = written(node)
    return text if len(text) <= 60 else text[:57] + "..."
