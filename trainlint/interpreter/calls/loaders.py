"""Making a loader: what it is given, and what its dataset does in workers."""

from __future__ import annotations

import ast
from typing import Final

from trainlint.interpreter.calls.places import is_false
from trainlint.interpreter.libraries.guesses import BATCH
from trainlint.interpreter.machine.loaders import Options, makings_of
from trainlint.interpreter.machine.run import Arguments, Frame, Run
from trainlint.interpreter.values.kinds import COUNTER, UNKNOWN, FunctionValue, Items, Loader, Object, Plain, Tensor
from trainlint.interpreter.values.loading import Making
from trainlint.interpreter.values.value import Value

_WORKERS: Final = 5
"""The position of `num_workers` among the arguments of a DataLoader."""
_PINS: Final = 7


def make_loader(run: Run, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    """A loader of batches in host memory, pinned if it is asked to pin."""
    dataset, collate = arguments.get(0, "dataset"), arguments.named.get("collate_fn")
    heat, run.heat = run.heat, "worker"
    item: Value = UNKNOWN
    if isinstance(dataset, Object) and dataset.cls.find("__getitem__") is not None:
        getter = run.attribute(dataset, "__getitem__", node, frame)
        item = run.call(getter, Arguments((COUNTER,)), node, frame)
    if isinstance(collate, FunctionValue | Object):
        run.call(collate, Arguments((Items((item,)),)), node, frame)
    run.heat = heat
    pinned = arguments.get(_PINS, "pin_memory")
    batch = BATCH if pinned is None or is_false(pinned) else BATCH.but(place="pinned")
    if not isinstance(node, ast.expr):
        return Loader(batch)
    making = Making(frame.module.path, node, frozenset(run.loops))
    run.loaders.made(making, _options(arguments))
    return Loader(batch.of_loaders((making,)))


def prepared_loader(run: Run, loader: Loader) -> Loader:
    """A loader that a launcher has taken over, which puts its batches on the device."""
    makings = makings_of(loader)
    run.loaders.copied(makings)
    return Loader(Tensor(container=True, way=("a prepared batch",), makings=makings))


def _options(arguments: Arguments) -> Options:
    workers = _constant(arguments, arguments.get(_WORKERS, "num_workers"), 0)
    pins = _constant(arguments, arguments.get(_PINS, "pin_memory"), False)
    keeps = _constant(arguments, arguments.named.get("persistent_workers"), False)
    return Options(workers if isinstance(workers, int) else None, _flag(pins), _flag(keeps))


def _constant(arguments: Arguments, given: Value | None, default: object) -> object:
    """What an option is; None where that is not known."""
    if given is None:
        return None if arguments.open else default
    return given.constant if isinstance(given, Plain) and given.known else None


def _flag(constant: object) -> bool | None:
    return constant if isinstance(constant, bool) else None
