"""Calls that put a module into training or evaluation mode."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.names import argument, constant

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel


def sets_training(place: Place) -> bool | None:
    """The mode that a call of `train` or `eval` surely sets; None where that depends, or where it is another call.

    `trainer.train(loader)` trains, and sets no mode: what it is given is no truth value.
    """
    call = place.node
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    if call.func.attr == "eval":
        return False if not call.args and not call.keywords else None
    if call.func.attr != "train" or len(call.args) + len(call.keywords) > 1:
        return None
    given = argument(call, "mode", 0)
    mode = True if given is None else constant(given)
    return mode if isinstance(mode, bool) else None


def mode_calls(file: SemanticModel) -> Iterator[Place]:
    """Every call that may set a mode: `train` and `eval` as methods, whatever they are given."""
    for name in ("train", "eval"):
        for place in file.outline.calls.get(name, ()):
            if isinstance(place.node, ast.Call) and isinstance(place.node.func, ast.Attribute):
                yield place


def may_set_training(file: SemanticModel) -> bool:
    """Whether anything in a file puts a module into training mode, or into one that is not written out."""
    return any(sets_training(place) is not False for place in mode_calls(file))


def switched(place: Place) -> ast.expr:
    """The module whose mode such a call sets."""
    assert isinstance(place.node, ast.Call)
    assert isinstance(place.node.func, ast.Attribute)
    return place.node.func.value
