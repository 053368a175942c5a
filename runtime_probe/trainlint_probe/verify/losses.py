"""What backward is called on: copied where it lies, and read once the steps are over, so that no step waits for it."""

from __future__ import annotations

import functools
from typing import Any

import torch
from torch.compiler import is_compiling


class Losses:
    """The losses of a process, in the order in which backward was called on them."""

    def __init__(self) -> None:
        self._kept: list[torch.Tensor] = []
        self._is_read = False

    def install(self) -> None:
        """Begin to watch. `Tensor.backward` goes through `torch.autograd.backward` as well."""
        standard = torch.autograd.backward

        @functools.wraps(standard)
        def backward(tensors: Any, *arguments: Any, **named: Any) -> Any:
            if not is_compiling() and not self._is_read:
                self._keep((tensors,) if isinstance(tensors, torch.Tensor) else tuple(tensors))
            return standard(tensors, *arguments, **named)

        torch.autograd.backward = backward

    def _keep(self, roots: tuple[Any, ...]) -> None:
        """Keep what is one number: larger tensors are parts of a graph, as re-entrant checkpointing hands them over."""
        losses = (root for root in roots if isinstance(root, torch.Tensor) and root.numel() == 1)
        self._kept += [loss.detach().clone() for loss in losses]

    def read(self) -> tuple[float, ...]:
        """The losses so far. Waits for the device. No more are kept from then on."""
        self._is_read = True
        return tuple(float(loss) for loss in self._kept)
