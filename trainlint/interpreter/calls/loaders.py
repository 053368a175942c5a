"""Making a loader: what it is given, and what its dataset does in workers."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from trainlint.analysis.tables.loaders import only_picks
from trainlint.interpreter.branches.names import last_name
from trainlint.interpreter.calls.places import is_false
from trainlint.interpreter.libraries.guesses import BATCH
from trainlint.interpreter.machine.frame import Arguments, Frame
from trainlint.interpreter.machine.loaders import ExecutedLoader, Options, makings_of
from trainlint.interpreter.machine.run import Run
from trainlint.interpreter.values.callables import FunctionValue, Object
from trainlint.interpreter.values.kinds import COUNTER, UNKNOWN, Items, Loader, Mapping_, Plain, Tensor
from trainlint.interpreter.values.loading import Making
from trainlint.interpreter.values.value import Value

_WORKERS: Final = 5
"""The position of `num_workers` among the arguments of a DataLoader."""
_PINS: Final = 7
_PLAIN_BASES: Final = frozenset({"Dataset", "IterableDataset", "object", "ABC", "Protocol", "Generic"})


def make_loader(run: Run, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    """A loader of batches in host memory, pinned if it is asked to pin."""
    dataset, collate = arguments.get(0, "dataset"), arguments.named.get("collate_fn")
    heat, run.heat = run.heat, "worker"
    item: Value = UNKNOWN
    if isinstance(dataset, Object) and dataset.cls.find("__getitem__") is not None:
        getter = run.attribute(dataset, "__getitem__", node, frame)
        item = run.call(getter, Arguments((COUNTER,)), node, frame)
    if isinstance(collate, FunctionValue | Object):
        item = run.call(collate, Arguments((Items((item,)),)), node, frame)
    run.heat = heat
    pinned = arguments.get(_PINS, "pin_memory")
    batch = BATCH if pinned is None or is_false(pinned) else BATCH.but(place="pinned")
    if not isinstance(node, ast.expr):
        return Loader(batch)
    making = Making(frame.module.path, node, frozenset(run.loops))
    held = (dataset, item) if not isinstance(dataset, Object) else (*_attributes(run, dataset), item)
    on_device = any(map(_on_device, held))
    made = ExecutedLoader(_options(arguments), items_lie_ready=_lies_ready(dataset), on_device=on_device)
    run.loaders.made(making, made)
    return Loader(batch.of_loaders((making,)))


def prepared_loader(run: Run, loader: Loader) -> Loader:
    """A loader that a launcher has taken over, which puts its batches on the device."""
    makings = makings_of(loader)
    run.loaders.copied(makings)
    return Loader(Tensor(container=True, way=("a prepared batch",), makings=makings))


def _lies_ready(dataset: Value | None) -> bool:
    """Whether a class of the project, with no base but PyTorch's, only picks its items."""
    getter = dataset.cls.find("__getitem__") if isinstance(dataset, Object) else None
    if not isinstance(getter, FunctionValue) or not isinstance(dataset, Object):
        return False
    bases = {name.rpartition(".")[2] for name in dataset.cls.library_bases}
    calls = [node.func for node in ast.walk(getter.function.node) if isinstance(node, ast.Call)]
    return bases <= _PLAIN_BASES and only_picks(map(last_name, calls))


def _attributes(run: Run, thing: Object) -> Iterator[Value]:
    return (value for (cls, _), value in run.attributes.items() if cls in thing.cls.order)


def _on_device(value: Value | None) -> bool:
    """Whether a value is a tensor on the device, or holds one."""
    parts = value.parts if isinstance(value, Items) else value.items.values() if isinstance(value, Mapping_) else ()
    return (isinstance(value, Tensor) and value.place == "device") or any(map(_on_device, parts))


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
