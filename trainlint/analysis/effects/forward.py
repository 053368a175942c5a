"""Code that computes a model's output or its loss: hot wherever the file that trains is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Block, Class, Function
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

_COMPUTES = frozenset({"forward", "__call__", "loss", "training_losses"})
_ALWAYS_COMPUTES = frozenset({"training_losses", "compute_loss"})
"""Methods that compute a loss whatever their class is."""
_LOSS_CLASS = lazy(r"(Loss(es)?|Criterion|Matcher|Assigner)\w{0,50}$")
_AFTERWARDS = lazy(r"Post_?Process", re.IGNORECASE)
"""Modules that make results of outputs, for evaluation."""
_DEEPEST = 6


def computes(file: SemanticModel, block: Block) -> bool:
    """Whether a block runs in each forward pass: in `forward` of a module, in a loss, or called from there."""
    function = file.graph.enclosing(block)
    return function is not None and _computes(file, function, 0)


def _computes(file: SemanticModel, function: Function, depth: int) -> bool:
    if function.owner is not None and _computes_by_name(file, function.owner, function.name):
        return True
    if depth >= _DEEPEST or function.name == "__init__":
        return False
    calls = [edge.place for edge in file.graph.callers.get(function, []) if not edge.passed]
    callers = [file.graph.enclosing(place.block) for place in calls]
    if any(caller is not None and caller is not function and _computes(file, caller, depth + 1) for caller in callers):
        return True
    outer = file.graph.enclosing(function.outside)
    return outer is not None and _computes(file, outer, depth + 1)


def _computes_by_name(file: SemanticModel, owner: Class, name: str) -> bool:
    """Whether a method of a class computes a model's output or its loss, by what both are called and derive from."""
    if name in _ALWAYS_COMPUTES:
        return True
    if name not in _COMPUTES or _AFTERWARDS.search(owner.name):
        return False
    return file.kinds.is_module_class(owner) or bool(_LOSS_CLASS.search(owner.name))
