"""Loops. A loop whose body trains is a training loop, and its body a step."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Final

from trainlint.finding import LoopKind
from trainlint.interpreter.execution.assignment import assign
from trainlint.interpreter.execution.bodies import serve
from trainlint.interpreter.execution.branching import merged
from trainlint.interpreter.execution.tests import truth
from trainlint.interpreter.libraries.frameworks import LOADER_PARAMETER
from trainlint.interpreter.machine.events import Link
from trainlint.interpreter.machine.frame import Effect, Frame, Round
from trainlint.interpreter.machine.run import Run
from trainlint.interpreter.text import text
from trainlint.interpreter.values.kinds import Items, Loader, Stream, Tensor
from trainlint.interpreter.values.value import Value

_INSIDE: Final = (ast.For, ast.AsyncFor, ast.While, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def for_(run: Run, node: ast.For | ast.AsyncFor, frame: Frame) -> bool:
    """A loop over items."""
    around, run.started = run.started, []
    source = run.value(node.iter, frame)
    item = run.items(source, node.iter, frame)
    generators, run.started = run.started or (), around
    if isinstance(source, Items) and source.fixed and not source.parts:
        return False
    run.feeding = _feeds(source)
    run.begin_pass(source, node, frame)

    def take() -> None:
        run.take_batches(source, node, frame)
        assign(run, node.target, item, frame)

    def begin() -> None:
        for generator in generators:
            serve(run, generator)

    _loop(run, node, frame, take, begin)
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


def _serves(frame: Frame, node: ast.For | ast.AsyncFor | ast.While) -> bool:
    """Whether a loop gives the items of a training loop."""
    return frame.serves and _yields(node.body)


def _loop(
    run: Run,
    node: ast.For | ast.AsyncFor | ast.While,
    frame: Frame,
    begin: Callable[[], None],
    serve_steps: Callable[[], None] = lambda: None,
) -> None:
    """Execute a body twice: first to see what it does, then as often as that says.

    `begin` begins an iteration; `serve_steps` executes what gives the items of a training loop.
    """
    around, heat, stepped, learning = run.effects, run.heat, run.stepped, run.learning
    loops = len(run.loops)
    feeding, run.feeding = run.feeding and not isinstance(node, ast.While), False
    run.spend(frame, len(frame.names))
    before = dict(frame.names)
    few = _over_few(node)
    run.loops += [] if few else [id(node)]
    run.effects = set()
    begin()
    run.block(node.body, frame)
    frame.names.update(merged(before, frame.names))
    effects = run.effects
    whole = not few and (_serves(frame, node) or _trains(effects, feeding, learning=learning)) and heat != "step"
    trains = whole and heat == "cold"
    run.look_at_kind(node, _kind(run, effects, node, feeding=feeding, whole=whole))
    run.learning = learning or (heat == "cold" and not trains and _learns(effects))
    leaving, step, around_here = frame.leaving, frame.step, frame.round
    frame.round = _round(run, effects, around_here, node, feeding=feeding, trains=trains)
    if trains:
        around_loop, run.loops = run.loops, run.loops[:loops]
        serve_steps()
        run.loops, run.heat = around_loop, "step"
        frame.step = Link(frame.module.path, node.lineno, _head(node))
    frame.leaving = (ast.Return, ast.Break) if trains else (ast.Return,) if leaving else ()
    run.stepped = False
    begin()
    run.block(node.body, frame)
    frame.leaving, frame.step, frame.round = leaving, step, around_here
    del run.loops[loops:]
    run.heat, run.stepped, run.learning = heat, stepped or (run.stepped and not trains), learning
    frame.names.update(merged(before, frame.names))
    around |= _outwards(effects, trains=whole, feeding=feeding)
    run.effects = around
    run.block(node.orelse, frame)


def _yields(body: Sequence[ast.AST]) -> bool:
    """Whether statements yield themselves, not in loops or functions inside of them."""
    return any(
        isinstance(node, ast.Yield) or (not isinstance(node, _INSIDE) and _yields(list(ast.iter_child_nodes(node))))
        for node in body
    )


def _round(
    run: Run,
    effects: set[Effect],
    around: Round,
    node: ast.For | ast.AsyncFor | ast.While,
    *,
    feeding: bool,
    trains: bool,
) -> Round:
    """What a loop repeats, by what its body does."""
    if _over_few(node):
        return around
    if trains:
        return ""
    if run.heat == "step":
        return "loop"
    if run.heat == "cold" and "looped" in effects:
        return "epoch"
    return "batches" if run.heat == "cold" and (feeding or _names_loader(node)) else around


def _kind(
    run: Run, effects: set[Effect], node: ast.For | ast.AsyncFor | ast.While, *, feeding: bool, whole: bool
) -> LoopKind:
    """What an iteration is, by what the body does."""
    draws = "takes_batches" in effects if isinstance(node, ast.While) else feeding or _names_loader(node)
    takes = draws and not isinstance(node.body[-1], ast.Break | ast.Return | ast.Raise)  # else it looks at one batch
    if run.heat == "evaluation":
        return LoopKind.EVAL if takes else LoopKind.OTHER
    if whole:
        return LoopKind.STEP
    if "looped" in effects:
        return LoopKind.EPOCH
    if "trains" in effects and ("optimizes" not in effects or _over_few(node)):
        return LoopKind.MICRO
    if "trains" in effects:  # a loop over steps in an agent's step, which its first round has shown; or over networks
        return LoopKind.OTHER
    return LoopKind.EVAL if takes else LoopKind.OTHER


def _names_loader(node: ast.For | ast.AsyncFor | ast.While) -> bool:
    """Whether a loop goes through something with the name of a loader."""
    if isinstance(node, ast.While):
        return False
    through = [node.iter, *(node.iter.args if isinstance(node.iter, ast.Call) else ())]
    return any(LOADER_PARAMETER.search(text(one)) for one in through)


def _trains(effects: set[Effect], feeding: bool, *, learning: bool) -> bool:
    """Whether each iteration is a step: it computes gradients, or steps an optimizer and takes batches itself.

    To step an environment is to take a batch, where a model learns from it in this loop or in the one around; so is a
    loop that does it, where the model learns beside that loop.
    """
    if "part" in effects and "optimizes" in effects:  # the loop inside goes through the parts of one batch
        return True
    acts = "acts" in effects
    takes = feeding or acts or "takes_batches" in effects
    if acts and learning:
        return True
    return _steps_beside_loops(effects, takes=takes)


def _steps_beside_loops(effects: set[Effect], *, takes: bool) -> bool:
    """Whether what computes gradients, or steps an optimizer, is more than the loops inside of the iteration."""
    if "epoch" in effects:  # what computes gradients beside a loop over all batches, does so once an epoch
        return (takes or "acted" in effects) and ("trains" in effects or "optimizes" in effects)
    looped = "looped" in effects
    return "trains" in effects or (takes and looped) or ("optimizes" in effects and (takes or looped))


def _outwards(effects: set[Effect], *, trains: bool, feeding: bool) -> set[Effect]:
    """What a loop does for the code around."""
    if trains:
        whole: set[Effect] = {"looped", "epoch"} if feeding or "takes_batches" in effects else {"looped"}
        if not feeding and "optimizes" not in effects:
            whole.add("part")
        return whole | (effects - {"part", "trains", "optimizes", "takes_batches", "acts", "acted"})
    if "acts" in effects:
        return {"acted", *(effects - {"acts"})}
    return effects - {"acted"} if _learns(effects) else effects


def _learns(effects: set[Effect]) -> bool:
    """Whether an iteration lets an agent act in a loop of its own, and trains as well."""
    return "acted" in effects and bool(effects & {"trains", "optimizes", "looped"})


def _over_few(node: ast.For | ast.AsyncFor | ast.While) -> bool:
    """A loop over a list in the code is no training loop, nor is one that goes round once."""
    match node:
        case ast.For(iter=ast.List() | ast.Tuple()) | ast.AsyncFor(iter=ast.List() | ast.Tuple()):
            return True
        case ast.For(iter=ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=1)])):
            return True
    return False


def _head(node: ast.For | ast.AsyncFor | ast.While) -> str:
    """The loop as its first line says it."""
    if isinstance(node, ast.While):
        return f"while {text(node.test)}"
    target = text(node.target)
    return f"for {target[1:-1] if isinstance(node.target, ast.Tuple) else target} in {text(node.iter)}"
