"""Calls of what is not in sight: what their arguments say."""

from __future__ import annotations

import ast
import re
from typing import Final

from trainlint.interpreter.libraries.frameworks import NOT_TRAINING
from trainlint.interpreter.libraries.guesses import OPTIMIZER, SCHEDULER
from trainlint.interpreter.machine.frame import Arguments
from trainlint.interpreter.machine.run import Run
from trainlint.interpreter.text import text
from trainlint.interpreter.values.kinds import Loader, Plain, Tensor, Unknown
from trainlint.interpreter.values.value import Value

_PROGRESS: Final = re.compile("progress")
_MADE: Final = Tensor("host", container=True, way=("tensors that a tokenizer or processor made",))


def out_of_sight(run: Run, result: Value, arguments: Arguments, node: ast.Call) -> Value:
    """What a call gives that is not followed, and whether it trains.

    What is given a loss and an optimizer computes gradients and steps, as scalers of losses do. What is asked to
    `return_tensors` makes them on the host. What is given a loader first, or shows progress, gives its batches.
    """
    if any(_is_loss(value) for value in arguments.values) and _is_given_optimizer(node):
        run.effects |= {"trains", "optimizes"}
        run.stepped = True
    for value in arguments.values:
        if isinstance(value, Loader):  # whoever is given a loader goes through it
            run.begin_pass(value, node, run.frame)
    if not isinstance(result, Unknown):
        return result
    form = arguments.named.get("return_tensors")
    if isinstance(form, Plain) and form.text == "pt":
        return _MADE
    shows = _PROGRESS.search(text(node.func)) is not None
    passed = arguments.args if shows else arguments.args[:1]
    return next((value for value in passed if isinstance(value, Loader)), result)


def _is_given_optimizer(node: ast.Call) -> bool:
    if NOT_TRAINING.search(text(node.func).rpartition(".")[2]):
        return False
    given = (*node.args, *(keyword.value for keyword in node.keywords))
    names = [text(one).rpartition(".")[2] for one in given if isinstance(one, ast.Name | ast.Attribute)]
    return any(OPTIMIZER.search(name) and not SCHEDULER.search(name) for name in names)


def _is_loss(value: Value) -> bool:
    return isinstance(value, Tensor) and not value.on_host
