"""Which loops train, which evaluate, which count epochs: by what stands in them, not by their names.

A training step shows itself by a backward pass. `.step()` alone is no evidence: most loops that call it
without a backward are diffusion samplers, environments and schedulers.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from enum import Enum, auto

from trainlint.model.blocks import Block, BlockKind, Function, Place
from trainlint.model.graph import CallGraph
from trainlint.model.names import constant, last_name, names_in, root_name
from trainlint.model.outline import Outline
from trainlint.model.sources import LOADER_NAME, is_batch_source

_TRAINING_CALLS = frozenset(
    "train_step training_step run_step train_batch fit_batch optimize_parameters forward_backward "
    "forward_backward_func forward_backward_step train_on_batch manual_backward update_params train_one_step".split()
)
"""Methods that train one step, wherever they are defined."""
_BACKWARD = frozenset({"backward", "manual_backward"})
_SCALER = re.compile(r"scaler", re.IGNORECASE)
_OPTIMIZER = re.compile(r"optim|(^|_)opt(im)?[a-z]?($|_)", re.IGNORECASE)
_MICRO = re.compile(r"accum|micro", re.IGNORECASE)
_HELD_OUT = re.compile(r"(^|_)(val|valid|validation|test|eval)($|_|loader|_?dl$)", re.IGNORECASE)
_EPOCH = re.compile(r"epoch", re.IGNORECASE)
_ENVIRONMENT = re.compile(r"(^|_)envs?($|_)", re.IGNORECASE)
_PARTS = re.compile(r"loss|optim|model", re.IGNORECASE)
"""What a step iterates over without being a loop over steps: its losses, optimizers, networks."""
_ROUNDS = 10
"""Chains of calls longer than this between a loop and its backward are not followed."""
_FEW = 8
"""A literal number of rounds up to this is a part of a step, not training itself."""
_BATCH_CALL = re.compile(r"batch|next|sample|load|randint|fetch", re.IGNORECASE)


class LoopKind(Enum):
    """What one iteration of a loop is in units of training."""

    STEP = auto()
    MICRO = auto()
    """A part of a step: micro-batches of accumulation, losses, networks."""
    EPOCH = auto()
    EVAL = auto()
    OTHER = auto()


@dataclass(slots=True, eq=False)
class Loops:
    """Loop kinds of one file, worked out when asked for."""

    outline: Outline
    graph: CallGraph
    _kinds: dict[Block, LoopKind] = field(default_factory=dict)
    _summaries: dict[Function, LoopKind] | None = None
    _evidence: dict[Block, list[Place]] | None = None
    _steps: list[Place] | None = None
    _nested: dict[Block, list[Block]] | None = None

    def evidence(self) -> dict[Block, list[Place]]:
        """Calls that prove a training step, by the innermost loop, function or module block that holds them."""
        if self._evidence is None:
            self._evidence = {}
            for block, places in self.outline.calls_by_loop.items():
                proofs = [place for place in places if self._proves_step(place)]
                if proofs and block is not None:
                    self._evidence[block] = proofs
        return self._evidence

    def steps_taken(self) -> list[Place]:
        """Where training steps are taken: proofs of a step, and calls of the file's functions that hold one."""
        if self._steps is None:
            called = [
                edge.place
                for function, kind in self._solve().items()
                if kind is LoopKind.STEP
                for edge in self.graph.callers.get(function, [])
                if not edge.passed
            ]
            self._steps = [place for places in self.evidence().values() for place in places] + called
        return self._steps

    def _proves_step(self, place: Place) -> bool:
        call = place.node
        assert isinstance(call, ast.Call)
        name = last_name(call.func)
        if name in _BACKWARD and isinstance(call.func, ast.Attribute):
            function = self.graph.enclosing(place.block)
            inside_autograd = function is not None and function.name == "backward" and function.owner is not None
            return (not inside_autograd and not isinstance(call.func.value, ast.Call | ast.Constant)) or _scaled(call)
        if (
            _SCALER.search(name)
            and len(call.args) >= 2
            and any(_OPTIMIZER.search(root_name(item)) for item in call.args)
        ):
            return True
        if not isinstance(call.func, ast.Attribute) or call in self.graph.callee:
            return False
        if name == "update_params":
            return bool(_OPTIMIZER.search(last_name(call.func.value)))  # loggers have a method of this name, too
        return name in _TRAINING_CALLS

    def kind(self, loop: Block) -> LoopKind:
        """What one iteration of this loop is."""
        self._solve()
        return self._kind(loop)

    def summary(self, function: Function) -> LoopKind | None:
        """What one call of a function is: a STEP, an EPOCH (it holds a training loop), or nothing known."""
        return self._solve().get(function)

    def _solve(self) -> dict[Function, LoopKind]:
        """What each function is, also where functions call each other in circles: repeated until nothing changes."""
        if self._summaries is None:
            self._summaries = {}
            for _ in range(_ROUNDS if self.evidence() else 0):
                self._kinds.clear()
                found = {function: self._summarise(function.body) for function in self.outline.functions}
                known = {function: kind for function, kind in found.items() if kind is not None}
                if known == self._summaries:
                    break
                self._summaries = known
        return self._summaries

    def _kind(self, loop: Block) -> LoopKind:
        if loop not in self._kinds:
            self._kinds[loop] = self._classify(loop)
        return self._kinds[loop]

    def _summarise(self, body: Block) -> LoopKind | None:
        inside = self._inside(body)
        if LoopKind.STEP in inside:
            return LoopKind.STEP
        return LoopKind.EPOCH if LoopKind.EPOCH in inside else None

    def _inside(self, body: Block) -> set[LoopKind]:
        """What stands directly in a loop or function body: STEP for proof of a step, EPOCH for whole training loops."""
        found: set[LoopKind] = set()
        if body in self.evidence():
            found.add(LoopKind.STEP)
        for place in self.outline.calls_by_loop.get(body, []):
            for function in self.graph.runs(place):
                called = (self._summaries or {}).get(function)
                if called is not None:
                    found.add(called)
        for child in self._children(body):
            kind = self._kind(child)
            if kind is LoopKind.MICRO:
                found.add(LoopKind.STEP)
            elif kind in (LoopKind.STEP, LoopKind.EPOCH):
                found.add(LoopKind.EPOCH)
        return found

    def _children(self, body: Block) -> list[Block]:
        """Loops whose nearest enclosing loop or function is this block."""
        if self._nested is None:
            self._nested = {}
            for block in self.outline.loop_blocks.values():
                parent = block.parent
                while parent is not None and parent.kind not in (BlockKind.LOOP, BlockKind.FUNCTION, BlockKind.MODULE):
                    parent = parent.parent
                if parent is not None:
                    self._nested.setdefault(parent, []).append(block)
        return self._nested.get(body, [])

    def _classify(self, loop: Block) -> LoopKind:
        if isinstance(loop.node, ast.comprehension):
            return LoopKind.OTHER
        inside = self._inside(loop)
        if LoopKind.STEP in inside:
            if self.iterates_batches(loop):
                return LoopKind.EVAL if self._explains(loop) else LoopKind.STEP
            if self._is_micro(loop):
                return LoopKind.MICRO
            if self._is_full_batch(loop):
                return LoopKind.EPOCH
            return LoopKind.STEP
        if LoopKind.EPOCH in inside:
            return LoopKind.EPOCH
        return LoopKind.EVAL if self.iterates_batches(loop) else LoopKind.OTHER

    def _explains(self, loop: Block) -> bool:
        """Whether a loop over test data runs backwards without a step: saliency maps, attacks."""
        node = loop.node
        if not isinstance(node, ast.For | ast.AsyncFor):
            return False
        words = names_in(node.iter)
        if not any(_HELD_OUT.search(word) for word in words):
            return False
        return not any(place.block.within(loop) for place in self.outline.calls.get("step", []))

    def iterates_batches(self, loop: Block) -> bool:
        """Whether a `for` iterates a loader, or a `while` draws its batches with `next`."""
        node = loop.node
        if isinstance(node, ast.For | ast.AsyncFor):
            assert loop.parent is not None
            return is_batch_source(node.iter, loop.parent)
        if isinstance(node, ast.While):
            return any(
                last_name(place.node.func) == "next" for place in self._calls(loop) if isinstance(place.node, ast.Call)
            )
        return False

    def _calls(self, loop: Block) -> list[Place]:
        return self.outline.calls_by_loop.get(loop, [])

    def _is_micro(self, loop: Block) -> bool:
        """Whether a loop that holds a backward is a part of a step of the loop around it."""
        node = loop.node
        if not isinstance(node, ast.For):
            return False
        words = names_in(node.iter)
        if any(_MICRO.search(word) for word in (*words, last_name(node.target))):
            return True
        if _loop_around(loop) is None:
            return False
        if self._draws_its_batch_outside(loop):
            return True
        if isinstance(node.iter, ast.Call) and last_name(node.iter.func) == "range":
            count = constant(node.iter.args[0]) if len(node.iter.args) == 1 else ...
            return isinstance(count, int) and count <= _FEW
        return isinstance(node.iter, ast.List | ast.Tuple) or bool(_PARTS.search(" ".join(words)))

    def _draws_its_batch_outside(self, loop: Block) -> bool:
        """Whether a loop around yields the batch that this one trains on several times, as PPO's epochs do."""
        around = _loop_around(loop)
        while around is not None:
            node = around.node
            if isinstance(node, ast.For) and self.iterates_batches(around):
                return not LOADER_NAME.search(last_name(node.target))  # a loop over loaders draws no batch
            around = _loop_around(around)
        return False

    def _is_full_batch(self, loop: Block) -> bool:
        """Whether a loop over epochs trains on one fixed batch: one step an epoch, so nothing in it is hot."""
        node = loop.node
        if not isinstance(node, ast.For):
            return False
        words = [last_name(node.target), *names_in(node.iter)]
        if not any(_EPOCH.search(word) for word in words):
            return False
        calls = [last_name(place.node.func) for place in self._calls(loop) if isinstance(place.node, ast.Call)]
        return not any(_BATCH_CALL.search(name) for name in calls) and not self._children(loop)

    def acts_on_environment(self, loop: Block) -> bool:
        """Whether a loop steps a simulator: actions must reach the host, and only what trains counts as a step."""
        for place in self.outline.calls.get("step", []):
            call = place.node
            if isinstance(call, ast.Call) and place.block.within(loop) and isinstance(call.func, ast.Attribute):
                if _ENVIRONMENT.search(last_name(call.func.value)):
                    return True
        return False


def _scaled(call: ast.Call) -> bool:
    """`scaler.scale(loss).backward()` and `(loss / n).mean().backward()`: a call's result may be the loss."""
    func = call.func
    return (
        isinstance(func, ast.Attribute) and isinstance(func.value, ast.Call) and last_name(func.value.func) != "super"
    )


def _loop_around(loop: Block) -> Block | None:
    block = loop.parent
    while block is not None and block.kind not in (BlockKind.FUNCTION, BlockKind.MODULE):
        if block.kind is BlockKind.LOOP:
            return block
        block = block.parent
    return None
