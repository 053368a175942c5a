"""What a function does when it is called, as data: its effects, and those of the functions that it calls."""

from __future__ import annotations

import ast
from enum import Enum
from typing import NamedTuple


class EffectKind(Enum):
    """What is done."""

    REDUCES = "reduces"
    """Sums or averages what a parameter holds over all ranks."""
    GATHERS = "gathers"
    """Returns a list of tensors gathered from all ranks, and uses it for nothing else."""
    DIFFERENTIATES = "differentiates"
    """Takes gradients itself or switches autograd on, as models of forces and gradient penalties do."""


class Effect(NamedTuple):
    """One effect of a call."""

    kind: EffectKind
    path: str = ""
    """The file of the line that does it, as shown to the user."""
    line: int = 0
    column: int = 1
    of: str = ""
    """The parameter that it concerns: "*" for further positions, "**" for further keywords; "" where it is none."""
    distance: int = 0
    """Through how many further calls the function does it."""

    def where(self, path: str) -> str:
        """The line as a file speaks of it: "line 88", or "meters.py:88" for another file."""
        return f"line {self.line}" if self.path == path else f"{self.path}:{self.line}"


class CalledFunction(NamedTuple):
    """A function that a call runs, with what it does."""

    title: str
    """Its qualified name."""
    parameters: tuple[str, ...]
    """All that a call gives it, in order, without the object that it is called on."""
    effects: tuple[Effect, ...]
    """Nearest first."""

    def effects_on(self, call: ast.Call, kind: EffectKind) -> list[tuple[Effect, ast.expr]]:
        """Its effects of one kind on arguments of a call, each with the argument, in the order of the call.

        `**values` stands for what it holds.
        """
        by_name = {effect.of: effect for effect in reversed(self.effects) if effect.kind is kind}
        given: list[tuple[str, ast.expr]] = []
        for place, item in enumerate(call.args):
            if isinstance(item, ast.Starred):
                break
            given.append((self.parameters[place] if place < len(self.parameters) else "*", item))
        given += [
            (item.arg if item.arg is not None and item.arg in self.parameters else "**", item.value)
            for item in call.keywords
        ]
        return [(by_name[name], item) for name, item in given if name in by_name]
