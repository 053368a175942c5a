"""Backward passes of which several make one step of the optimizer: gradient accumulation written by hand."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainlint.analysis.conditions.batch_counts import batch_counts, wait_around
from trainlint.analysis.conditions.branches import is_tested
from trainlint.analysis.syntax.blocks import Block, Place
from trainlint.analysis.syntax.calls_inside import calls_of
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import constant, dotted, last_name, names_in
from trainlint.analysis.tables.accumulation import speaks_of_micro_batches
from trainlint.analysis.tables.optimizers import STEPPED_NAME
from trainlint.analysis.types.values import Kind
from trainlint.finding import LoopKind
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

_BACKWARD = lazy(r"(^|_)backward(_pass)?$")


@dataclass(frozen=True, slots=True, eq=False)
class Accumulation:
    """The backward passes of one loop, whose gradients add up."""

    loop: Block
    """The loop that runs the backward once in each iteration."""
    backwards: tuple[Place, ...]
    """The calls that run it, in source order."""
    count: str
    """How many of them make a step, as the code names it; empty where that is no plain name or number."""


@once
def accumulation(file: SemanticModel, loop: Block) -> Accumulation | None:
    """What a loop accumulates; None where each backward is followed by its step, and where that is unknown.

    Either a loop over micro-batches with the step behind it, or a loop over batches whose step stands behind
    `counter % count`, or is given it, as in `scaler(loss, optimizer, update=(i + 1) % count == 0)`.
    """
    backwards = _accumulating(file, loop)
    if not backwards:
        return None
    steps = [place for place in calls_of(file, "step", loop) if _steps_optimizer(file, place)]
    if isinstance(loop.node, ast.For) and _counts_accumulated(loop.node):
        return _of_micro_batches(file, loop, loop.node, backwards) if not steps else None
    if file.heats.kind(loop) is not LoopKind.STEP:
        return None
    outside, counts = _behind_waits(loop, steps, backwards) if steps else _counts_in_calls(backwards)
    if not outside or not counts or any(constant(count) == 1 for count in counts):
        return None
    return Accumulation(loop, tuple(outside), _as_named(counts[0]))


def _accumulating(file: SemanticModel, loop: Block) -> list[Place]:
    """The backward passes that a loop itself runs; none where each iteration clears the gradients."""
    if any(_each_time(place.block, loop) for place in calls_of(file, "zero_grad", loop)):
        return []
    return [place for place in _backwards(file, loop) if place.block.innermost_loop() is loop]


def _counts_accumulated(node: ast.For) -> bool:
    """Whether a loop counts micro-batches, by the names in its head."""
    return any(speaks_of_micro_batches(word) for word in (*names_in(node.iter), last_name(node.target)))


def _of_micro_batches(file: SemanticModel, loop: Block, node: ast.For, backwards: list[Place]) -> Accumulation | None:
    """What a loop over micro-batches accumulates, whose step stands behind it."""
    count = node.iter.args[-1] if isinstance(node.iter, ast.Call) and node.iter.args else node.iter
    if constant(count) == 1 or file.heats.kind(loop) is not LoopKind.MICRO:
        return None
    return Accumulation(loop, tuple(backwards), _as_named(count))


def _behind_waits(loop: Block, steps: list[Place], backwards: list[Place]) -> tuple[list[Place], list[ast.expr]]:
    """The backward passes outside the tests that all steps stand behind, and the counts in the first of these tests."""
    waits = [wait for place in steps if (wait := wait_around(place.block, loop)) is not None]
    if len(waits) < len(steps):
        return [], []
    outside = [place for place in backwards if not any(place.block.within(wait.block) for wait in waits)]
    return outside, list(waits[0].counts)


def _counts_in_calls(backwards: list[Place]) -> tuple[list[Place], list[ast.expr]]:
    """The backward passes that are given when to take the step, and all the counts that they are given."""
    calls = [(place, list(_counts_in_arguments(place))) for place in backwards]
    return [place for place, found in calls if found], [count for _, found in calls for count in found]


def _backwards(file: SemanticModel, loop: Block) -> Iterator[Place]:
    """Calls that run a backward pass: themselves, or as a function of the file or an imported one of that name."""
    for place in file.outline.calls_by_loop.get(loop, ()):
        call = place.node
        if call in file.training_calls:
            yield place
        elif isinstance(call, ast.Call) and _BACKWARD.search(last_name(call.func)):
            if file.heats.kind(call) is LoopKind.STEP:
                yield place


def _each_time(block: Block, loop: Block) -> bool:
    """Whether code in a block runs in each iteration of a loop."""
    return block.innermost_loop() is loop and not is_tested(block, loop)


def _steps_optimizer(file: SemanticModel, place: Place) -> bool:
    call = place.node
    assert isinstance(call, ast.Call)
    if not isinstance(call.func, ast.Attribute):
        return False
    owner = call.func.value
    if any(STEPPED_NAME.search(last_name(item)) for item in (owner, *call.args[:1])):
        return True
    return file.kinds.of(owner, place.block).kind in (Kind.OPTIMIZER, Kind.SCALER)


def _counts_in_arguments(place: Place) -> Iterator[ast.expr]:
    """The counts that a call which may take the step is given: `update_grad=(i + 1) % count == 0`."""
    call = place.node
    assert isinstance(call, ast.Call)
    for given in (*call.args, *(keyword.value for keyword in call.keywords)):
        if isinstance(given, ast.Compare | ast.Name):
            yield from batch_counts(given, place.block)


def _as_named(node: ast.expr) -> str:
    """A number as the code names it: "4", "args.accum_iter"; "" for anything longer."""
    return str(node.value) if isinstance(node, ast.Constant) else dotted(node) or ""
