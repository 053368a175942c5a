"""Parameters that an optimizer holds and that never get a gradient: layers that the loss does not depend on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

_MOST_NAMES = 3
_MB = 1_000_000


class WithoutGradients:
    """Looks at the gradients of each optimizer that steps while it is on."""

    def __init__(self) -> None:
        self.is_on = False
        self._held: dict[int, torch.Tensor] = {}
        self._with: set[int] = set()

    def look(self, optimizer: Any) -> None:
        """An optimizer has stepped."""
        if not self.is_on:
            return
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                if parameter.requires_grad:
                    self._held[id(parameter)] = parameter
                    if parameter.grad is not None:
                        self._with.add(id(parameter))

    def sentence(self, steps: int, names: Mapping[int, str]) -> str:
        """What was seen, for people; empty where each parameter got a gradient, or none did: then the script keeps them
        elsewhere.

        Args:
            steps: how many were looked at.
            names: of parameters, by their ids.
        """
        without = [parameter for number, parameter in self._held.items() if number not in self._with]
        if not without or not self._with:
            return ""
        known = [names[id(parameter)] for parameter in without if id(parameter) in names][:_MOST_NAMES]
        more = len(without) - len(known)
        named = f": {', '.join(known)}{f' and {more} more' if more else ''}" if known else ""
        size = sum(parameter.numel() * parameter.element_size() for parameter in without)
        amount = f"{size / 1e6:.1f} MB" if size >= _MB else f"{size / 1e3:.1f} kB"
        held = "1 parameter" if len(without) == 1 else f"{len(without)} parameters"
        return (
            f"Of {len(self._held)} parameters that optimizers hold, {held} ({amount}) got no gradient in "
            f"{steps} steps after the measured ones{named}. If no step uses them, leave them out of the model, or "
            "freeze them by requires_grad_(False)."
        )
