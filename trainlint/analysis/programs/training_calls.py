"""Calls that show by themselves that a training step is taken around them: by what they do, not by names of functions.

A training step shows itself by a backward pass, or by an optimizer's `step` that is given the loss, as
`self.optim.step(loss)`: it runs the backward pass, too. `.step()` alone is no evidence: most code that calls it without
a backward are diffusion samplers, environments and schedulers.
"""

from __future__ import annotations

import ast
import re
from functools import lru_cache

from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.local_calls import LocalCalls
from trainlint.analysis.syntax.names import NAMES, last_name, root_name
from trainlint.analysis.syntax.outline import Outline
from trainlint.analysis.tables.optimizers import STEPPED_NAME
from trainlint.patterns import lazy

_TRAINING_CALLS = frozenset(
    "train_step training_step run_step train_batch fit_batch optimize_parameters forward_backward "
    "forward_backward_func forward_backward_step train_on_batch manual_backward update_params train_one_step".split()
)
"""Methods that train one step, wherever they are defined."""
_BACKWARD = frozenset({"backward", "manual_backward"})
_SCALER = lazy(r"scaler", re.IGNORECASE)


def training_calls(outline: Outline, graph: LocalCalls) -> dict[ast.AST, Place]:
    """These calls of a file: most files have none, as the names of their calls tell."""
    return {
        place.node: place
        for name, places in outline.calls.items()
        if name in _BACKWARD or name in _TRAINING_CALLS or _scales(name)
        for place in places
        if _trains(place, name, graph)
    }


def _trains(place: Place, name: str, graph: LocalCalls) -> bool:
    call = place.node
    assert isinstance(call, ast.Call)
    if name in _BACKWARD and isinstance(call.func, ast.Attribute):
        plain = not isinstance(call.func.value, (ast.Call, ast.Constant)) and not _in_autograd(place, graph)
        return plain or _scaled(call)
    if len(call.args) >= 2 and _scales(name) and any(STEPPED_NAME.search(root_name(item)) for item in call.args):
        return True
    if name not in _TRAINING_CALLS or not isinstance(call.func, ast.Attribute) or call in graph.callee:
        return False
    if name == "update_params":
        return bool(STEPPED_NAME.search(last_name(call.func.value)))  # loggers have a method of this name, too
    return True


def _in_autograd(place: Place, graph: LocalCalls) -> bool:
    """Whether a call stands in the `backward` of a class, as those of `torch.autograd.Function` have it."""
    function = graph.enclosing(place.block)
    return function is not None and function.name == "backward" and function.owner is not None


@lru_cache(NAMES)
def _scales(name: str) -> bool:
    return _SCALER.search(name) is not None


def _scaled(call: ast.Call) -> bool:
    """`scaler.scale(loss).backward()` and `(loss / n).mean().backward()`: a call's result may be the loss."""
    func = call.func
    return (
        isinstance(func, ast.Attribute) and isinstance(func.value, ast.Call) and last_name(func.value.func) != "super"
    )
