"""Gradient scalers: whether they are on, and which backward passes start from what they have multiplied."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainlint.analysis.conditions.branches import is_tested
from trainlint.analysis.syntax.blocks import Function, Place
from trainlint.analysis.syntax.names import argument, dotted, has_unpacked_arguments
from trainlint.analysis.syntax.reaching import single_value
from trainlint.analysis.tables.precision import GRAD_SCALER, SCALER_ENABLED_AT
from trainlint_rules.compute.idioms.precision import switch

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel


@dataclass(frozen=True, slots=True, eq=False)
class GradScaler:
    """One call that makes a gradient scaler."""

    place: Place
    enabled: bool | None
    """None where that is decided at run time, be it by a test around the call."""


@dataclass(frozen=True, slots=True, eq=False)
class ScaledBackward:
    """A backward pass of a loss that a scaler has multiplied: `scaler.scale(loss).backward()`."""

    place: Place
    scaler: str
    """The scaler as the code names it."""


def scalers(file: SemanticModel) -> list[GradScaler]:
    """The gradient scalers that a file makes, in source order."""
    found = []
    for place in file.outline.calls.get(GRAD_SCALER.name, ()):
        assert isinstance(place.node, ast.Call)
        origin = file.outline.imported(place.node.func, place.block) or ""
        if origin in SCALER_ENABLED_AT:
            given = argument(place.node, "enabled", SCALER_ENABLED_AT[origin])
            enabled = switch(given, hidden=has_unpacked_arguments(place.node))
            found.append(GradScaler(place, None if enabled and is_tested(place.block) else enabled))
    return found


def scaled_backwards(file: SemanticModel, function: Function | None) -> list[ScaledBackward]:
    """The backward passes of a function, or of the top level, that start from what a scaler has multiplied."""
    found = []
    for place in file.outline.calls.get("backward", ()):
        call = place.node
        if file.graph.enclosing(place.block) is not function or not isinstance(call, ast.Call):
            continue
        if isinstance(call.func, ast.Attribute):
            loss = single_value(call.func.value, place.block) or call.func.value
            if isinstance(loss, ast.Call) and isinstance(loss.func, ast.Attribute) and loss.func.attr == "scale":
                name = dotted(loss.func.value)
                if name is not None and loss.args:
                    found.append(ScaledBackward(place, name))
    return found
