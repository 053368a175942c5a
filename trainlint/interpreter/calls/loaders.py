"""Making a loader: what its dataset does runs in workers."""

from __future__ import annotations

import ast

from trainlint.interpreter.calls.places import is_false
from trainlint.interpreter.libraries.guesses import BATCH
from trainlint.interpreter.machine.run import Arguments, Frame, Run
from trainlint.interpreter.values.kinds import COUNTER, FunctionValue, Items, Loader, Object
from trainlint.interpreter.values.value import Value


def make_loader(run: Run, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    """A loader of batches in host memory, pinned if it is asked to pin."""
    dataset, collate = arguments.get(0, "dataset"), arguments.named.get("collate_fn")
    heat, run.heat = run.heat, "worker"
    if isinstance(dataset, Object) and dataset.cls.find("__getitem__") is not None:
        getter = run.attribute(dataset, "__getitem__", node, frame)
        item = run.call(getter, Arguments((COUNTER,)), node, frame)
        if isinstance(collate, FunctionValue | Object):
            run.call(collate, Arguments((Items((item,)),)), node, frame)
    run.heat = heat
    pinned = arguments.named.get("pin_memory")
    return Loader(BATCH if pinned is None or is_false(pinned) else BATCH.but(place="pinned"))
