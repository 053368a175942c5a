"""Intervals between two reads of the host's clock, and the device work that they hold.

Kernels are queued and run later. A clock that is read after the last launch, with nothing that waits for the device in
between, measures the launches. See https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from trainlint.analysis.conditions.branches import is_branch
from trainlint.analysis.conditions.values.without_cuda import runs_without_cuda
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.syntax.blocks import Block, BlockKind, Function, How, Place, outside_with
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import (
    argument,
    constant,
    dotted,
    end_position,
    last_name,
    nodes_in,
    position,
    root_name,
)
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.tables import collectives
from trainlint.analysis.tables.clipping import clips_gradients
from trainlint.analysis.tables.common_names import FOREIGN, PLAIN_METHODS
from trainlint.analysis.tables.host_reads import TO_HOST, WAITING
from trainlint.analysis.tables.iterables import counts_rounds, only_iterates
from trainlint.analysis.tables.optimizers import STEPPED_NAME
from trainlint.analysis.tables.waits.clocks import CLOCKS, ELAPSED_TIME
from trainlint.analysis.types.values import Kind
from trainlint.patterns import lazy

_CLOCK_MODULES = ("time.", "timeit.")
_WAITS = (
    frozenset(
        "wait generate decode sample empty_cache memory_stats save savez mark_step block_until_ready "
        "display imshow imwrite show fetch result join recv get_scale".split()
    )
    | {ELAPSED_TIME}
    | (WAITING | TO_HOST)
    | (collectives.BARRIERS | collectives.OF_OBJECTS)
)
"""What waits for the device, or surely holds something that does."""
_READ_BY_PYTHON = frozenset({"float", "int", "bool", "str", "print", "format", "max", "min", "sum", "sorted", "list"})
_ALSO_OF_METERS = frozenset("add log put write info debug warning error exception".split())
"""Methods of tensors or files that meters and loggers have, too: theirs may read what they are given."""
_HARMLESS = (PLAIN_METHODS - _WAITS - _ALSO_OF_METERS) | frozenset(
    "step zero_grad train eval len isinstance super getattr setattr hasattr type id dict set hex open".split()
)
_SCALER = lazy(r"scaler|accelerat|fabric|engine", re.IGNORECASE)
_FABRIC = lazy(r"accelerat|fabric", re.IGNORECASE)
_QUEUED = frozenset("backward manual_backward no_backward_sync no_sync accumulate autocast scale".split())
"""Methods of scalers, Accelerate and Fabric that only queue work, or none."""
_CLIPS_AND_CHECKS = "clip_gradients"
"""Fabric's method, which reads the norm of the gradients unless `error_if_nonfinite=False` is given."""
_MAKES_MODULE = lazy(r"^_?(build|make|create|get|load|init|export|save|convert)_")
"""Functions named after a network that make one, or write it to a file, and do not run it."""
_DEEPEST = 3


@dataclass(frozen=True, slots=True, eq=False)
class Interval:
    """What lies between two reads of the clock in one function."""

    start: ast.Call
    stop: ast.Call
    work: ast.Call
    """The last launch of device work before the clock is read again."""
    is_waited_for: bool
    """Whether something between that launch and the clock waits for the device, or may."""
    repeated: Block | None
    """The `for ... in range(...)` inside the interval that repeats the work, if there is one."""
    divides: bool
    """Whether something is divided by the duration, as for samples a second."""


def is_clock(file: SemanticModel, node: ast.AST | None, block: Block) -> bool:
    """Whether an expression reads the host's clock, as `time.perf_counter()` does."""
    if not isinstance(node, ast.Call) or last_name(node.func) not in CLOCKS:
        return False
    return (file.kinds.imported(node.func, block) or "").startswith(_CLOCK_MODULES)


@once
def timed_interval(file: SemanticModel, stop: ast.Call, place: Place) -> Interval | None:
    """The interval that a read of the clock ends, if it surely holds device work; None where nothing is sure.

    Silent for timers that go round with a training loop, each from the end of the last: the queue is bounded, so they
    are right on average. So they are for whole epochs.
    """
    function = file.graph.enclosing(place.block)
    if function is None or not is_clock(file, stop, place.block):
        return None
    for difference in _differences(stop, place, function):
        if not _is_used(difference, function):
            continue
        start = _clock_read(file, difference.right, stop, place)
        if start is None:
            continue
        found = _last_work(file, start, stop, place, function)
        if found is None:
            return None
        work, repeated, is_waited_for = found
        return Interval(start, stop, work, is_waited_for, repeated, _divides(difference, function))
    return None


def _differences(stop: ast.Call, place: Place, function: Function) -> Iterator[ast.BinOp]:
    """`clock() - start`, or `end - start` where the statement is `end = clock()`."""
    ends = [dotted(target) for target in place.statement.targets] if isinstance(place.statement, ast.Assign) else []
    whole = isinstance(place.statement, ast.Assign) and place.statement.value is stop
    for node in nodes_in(function.node):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
            later = whole and dotted(node.left) in ends and dotted(node.left) and position(node) > position(stop)
            if node.left is stop or (later and _may_hold(node.left, place, function)):
                yield node


def _may_hold(end: ast.expr, place: Place, function: Function) -> bool:
    """Whether a name may still hold what a statement assigned to it: no statement behind it surely assigns anew."""
    if not isinstance(end, ast.Name):
        return True
    return all(
        binding.node is place.statement
        or not position(place.statement) < binding.position <= position(end)
        or not _surely_before(binding.block, end, function)
        for binding in place.block.scope.bindings.get(end.id, ())
    )


def _surely_before(block: Block, use: ast.expr, function: Function) -> bool:
    """Whether a block is run in each way to a use further down: it stands around that, but for `with`."""
    node = outside_with(block).node
    if node is function.node:
        return True
    return node.lineno <= use.lineno <= (node.end_lineno or node.lineno) if isinstance(node, ast.stmt) else False


def _clock_read(file: SemanticModel, name: ast.expr, stop: ast.Call, place: Place) -> ast.Call | None:
    """The read of the clock that a name holds where the interval ends, if it was made in this round of a loop."""
    if not isinstance(name, ast.Name):
        return None
    bindings = reaching(name.id, place.block, position(stop))
    if len(bindings) != 1 or bindings[0].how is not How.ASSIGN or bindings[0].path:
        return None
    start, block = bindings[0].value, bindings[0].block
    if not isinstance(start, ast.Call) or not is_clock(file, start, block) or position(start) >= position(stop):
        return None
    if _loop_inside(place.block, block) is not None:
        return None  # all rounds so far: right on average
    return start if place.block.within(outside_with(block)) else None


def _last_work(
    file: SemanticModel, start: ast.Call, stop: ast.Call, place: Place, function: Function
) -> tuple[ast.Call, Block | None, bool] | None:
    """The last launch in an interval, the loop that repeats it, and whether something waits for it, or may."""
    between = _calls(file, function, end_position(start), position(stop))
    launches = [item for item in between if _launches(file, item)]
    if not launches or not _computes_unfinished(place, between, launches):
        return None
    loop = _loop_inside(launches[-1].block, place.block)
    if loop is None:
        # An optimizer's step behind a test may follow.
        launches = [item for item in launches if place.block.within(outside_with(item.block))]
    if not launches or (loop is not None and not _counts_rounds(loop)):
        return None
    last = _call(launches[-1])
    is_waited_for = any(_counts_as_wait(file, item, place, loop) for item in _calls_after(between, last, loop))
    return last, loop, is_waited_for or _python_reads(file, function, position(last), position(stop))


def _calls_after(between: list[Place], last: ast.Call, loop: Block | None) -> Iterator[Place]:
    """The calls that come behind a launch; in a loop, also those at the beginning of the next round."""
    for item in between:
        if _is_in_loop(item, loop) or end_position(_call(item)) > end_position(last):
            yield item


def _is_in_loop(place: Place, loop: Block | None) -> bool:
    return loop is not None and place.block.within(loop)


def _counts_as_wait(file: SemanticModel, item: Place, stop: Place, loop: Block | None) -> bool:
    """Whether a call behind the work waits, or may. Where it runs less often than the clock is read, it must surely."""
    if runs_without_cuda(file, item.block):
        return False
    if loop is None and _is_behind_test(item.block, stop.block):
        return last_name(_call(item).func) in _WAITS
    return _may_wait(file, item, 0)


def _is_behind_test(block: Block, other: Block) -> bool:
    """Whether a block stands in a branch that another block does not stand in."""
    return any(is_branch(outer, early_exits=False) and not other.within(outer) for outer in block.outwards())


def _computes_unfinished(stop: Place, between: list[Place], launches: list[Place]) -> bool:
    """Whether a forward or backward pass is among what nothing has waited for; an optimizer's step is short."""
    each_time = (item for item in between if item not in launches and stop.block.within(outside_with(item.block)))
    waits = [position(_call(item)) for item in each_time if _surely_waits(item)]
    last_wait = max(waits, default=(0, 0))
    return any(last_name(_call(item).func) != "step" and position(_call(item)) > last_wait for item in launches)


def _surely_waits(place: Place) -> bool:
    call = _call(place)
    name = last_name(call.func)
    if name == _CLIPS_AND_CHECKS:
        return constant(argument(call, "error_if_nonfinite")) is not False
    return name in WAITING and not call.args


def _calls(file: SemanticModel, function: Function, start: tuple[int, int], stop: tuple[int, int]) -> list[Place]:
    """The calls of a function between two positions, in the order of the text."""
    found = [
        item
        for item in file.outline.all_calls()
        if start <= position(_call(item)) < stop and file.graph.enclosing(item.block) is function
    ]
    return sorted(found, key=lambda item: end_position(_call(item)))


def _call(place: Place) -> ast.Call:
    assert isinstance(place.node, ast.Call)
    return place.node


def _launches(file: SemanticModel, place: Place) -> bool:
    """Whether a call surely queues kernels: a module, a backward pass, a step of an optimizer."""
    call = _call(place)
    name = last_name(call.func)
    if file.kinds.of(call.func, place.block).kind is Kind.MODULE:
        return not _MAKES_MODULE.search(name)
    if not isinstance(call.func, ast.Attribute):
        return False
    if name in ("backward", "manual_backward"):
        return not _SCALER.search(last_name(call.func.value)) or bool(_FABRIC.search(last_name(call.func.value)))
    owner = call.func.value
    return name == "step" and (
        file.kinds.of(owner, place.block).kind is Kind.OPTIMIZER or bool(STEPPED_NAME.search(last_name(owner)))
    )


def _may_wait(file: SemanticModel, place: Place, depth: int) -> bool:
    """Whether a call waits for the device, or may do so for all that is known."""
    call = _call(place)
    name = last_name(call.func)
    if name in _WAITS or _is_of_scaler(call):
        return True
    if _launches(file, place) or is_clock(file, call, place.block):
        return False
    origin = file.kinds.imported(call.func, place.block)
    if origin is not None and origin.partition(".")[0] in FOREIGN:
        return name in ("print", "log", "add_scalar")
    edge = file.graph.callee.get(call)
    if edge is not None:
        inner = [item for item in file.outline.all_calls() if file.graph.enclosing(item.block) is edge.function]
        return depth >= _DEEPEST or any(_may_wait(file, item, depth + 1) for item in inner)
    if isinstance(call.func, ast.Name) and name in _READ_BY_PYTHON:
        return any(file.kinds.of(item, place.block).kind in (Kind.TENSOR, Kind.UNKNOWN) for item in call.args)
    return not _is_harmless(name)


def _is_of_scaler(call: ast.Call) -> bool:
    """Whether it is a method of a scaler, an Accelerator or Fabric that may read whether gradients are finite."""
    return bool(_SCALER.search(root_name(call.func))) and last_name(call.func) not in _QUEUED


def _is_harmless(name: str) -> bool:
    """Whether a function of this name never waits for the device."""
    return name in _HARMLESS or only_iterates(name) or clips_gradients(name)


def _python_reads(file: SemanticModel, function: Function, start: tuple[int, int], stop: tuple[int, int]) -> bool:
    """Whether Python may read a tensor between two positions, in a test or in text."""
    for place in file.outline.reads:
        node = place.node
        if (
            isinstance(node, ast.expr)
            and start < position(node) < stop
            and file.graph.enclosing(place.block) is function
        ):
            inner = node.value if isinstance(node, ast.FormattedValue) else node
            if file.kinds.of(inner, place.block).is_tensor:
                return True
    return False


def _loop_inside(block: Block, outer: Block) -> Block | None:
    """The outermost loop around a block that does not hold the other block."""
    loops = [item for item in block.outwards() if item.kind is BlockKind.LOOP and not outer.within(item)]
    return loops[-1] if loops else None


def _counts_rounds(loop: Block) -> bool:
    """Whether a loop runs a number of rounds, as those of benchmarks do, not over batches."""
    return isinstance(loop.node, ast.For | ast.comprehension) and counts_rounds(last_name(loop.node.iter))


def _names_of(difference: ast.BinOp, function: Function) -> set[str | None]:
    """The names that are assigned a duration, or what is computed of it."""
    return {
        dotted(target)
        for node in nodes_in(function.node)
        if isinstance(node, ast.Assign) and any(part is difference for part in nodes_in(node.value))
        for target in node.targets
    } - {None}


def _is_used(difference: ast.BinOp, function: Function) -> bool:
    """Whether anybody looks at a duration: it goes somewhere, or its name is read."""
    names = _names_of(difference, function)
    return (
        not names
        or any("." in str(name) for name in names)
        or any(
            isinstance(node, ast.Name) and node.id in names and isinstance(node.ctx, ast.Load)
            for node in nodes_in(function.node)
        )
    )


def _divides(difference: ast.BinOp, function: Function) -> bool:
    """Whether a duration, or the name that it is assigned to, is what something is divided by."""
    names = _names_of(difference, function)
    return any(
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Div)
        and any(part is difference or dotted(part) in names for part in nodes_in(node.right))
        for node in nodes_in(function.node)
    )
