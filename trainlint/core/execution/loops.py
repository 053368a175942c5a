"""Loops. A loop whose body trains is a training loop, and its body a step."""

from __future__ import annotations

import ast
from collections.abc import Callable

from trainlint.core.execution.assignment import assign
from trainlint.core.execution.branching import merged
from trainlint.core.execution.tests import truth
from trainlint.core.machine.run import Effect, Frame, Run
from trainlint.core.values.kinds import Items, Loader, Stream, Tensor
from trainlint.core.values.value import Value


def for_(run: Run, node: ast.For | ast.AsyncFor, frame: Frame) -> bool:
    """A loop over items."""
    source = run.value(node.iter, frame)
    item = run.items(source, node.iter, frame)
    if isinstance(source, Items) and source.fixed and not source.parts:
        return False
    run.feeding = _feeds(source)
    _loop(run, node, frame, lambda: assign(run, node.target, item, frame))
    return False


def while_(run: Run, node: ast.While, frame: Frame) -> bool:
    """A loop with a test."""

    def ask() -> None:
        truth(run, node.test, frame)

    _loop(run, node, frame, ask)
    return False


def _feeds(source: Value) -> bool:
    """Whether the items are batches of a loader, perhaps numbered or zipped."""
    if isinstance(source, Loader):
        return True
    if not isinstance(source, Stream) or not isinstance(source.item, Items):
        return False
    return any(isinstance(part, Tensor) and part.source == "loader" for part in source.item.parts)


def _loop(run: Run, node: ast.For | ast.AsyncFor | ast.While, frame: Frame, begin: Callable[[], None]) -> None:
    """Execute a body twice: first to see what it does, then as often as that says."""
    around, heat, quiet, stepped = run.effects, run.heat, run.quiet, run.stepped
    feeding, run.feeding = run.feeding and not isinstance(node, ast.While), False
    run.spend(frame, len(frame.names))
    before = dict(frame.names)
    run.effects = set()
    run.quiet = quiet or heat == "step"
    begin()
    run.block(node.body, frame)
    run.quiet = quiet
    frame.names.update(merged(before, frame.names))
    effects = run.effects
    trains = heat == "cold" and _trains(effects, feeding) and not _over_few(node)
    if trains:
        run.heat = "step"
    run.stepped = False
    begin()
    run.block(node.body, frame)
    run.heat, run.stepped = heat, stepped
    frame.names.update(merged(before, frame.names))
    if trains:
        effects = {"looped", *(effects - {"trains", "optimizes", "takes_batches"})}
    around |= effects
    run.effects = around
    run.block(node.orelse, frame)


def _trains(effects: set[Effect], feeding: bool) -> bool:
    """Whether each iteration is a step: it computes gradients, or steps an optimizer and takes batches itself."""
    takes = feeding or "takes_batches" in effects
    return "trains" in effects or ("optimizes" in effects and (takes or "looped" in effects))


def _over_few(node: ast.For | ast.AsyncFor | ast.While) -> bool:
    """A loop over a list in the code is no training loop."""
    return not isinstance(node, ast.While) and isinstance(node.iter, ast.List | ast.Tuple)
