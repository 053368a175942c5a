"""Functions and methods that clip gradients."""

from __future__ import annotations

from typing import NamedTuple


class ClipFunction(NamedTuple):
    """One function or method that changes gradients in place, by its last name."""

    name: str
    origins: tuple[str, ...] = ()
    """Its dotted origins in PyTorch, the public one first."""
    returns_norm: bool = False
    """Whether it returns the norm of all gradients, on their device."""


CLIP_GRAD_NORM = ClipFunction(
    "clip_grad_norm_",
    ("torch.nn.utils.clip_grad_norm_", "torch.nn.utils.clip_grad.clip_grad_norm_"),
    returns_norm=True,
)
OLD_CLIP_GRAD_NORM = ClipFunction(
    "clip_grad_norm",
    ("torch.nn.utils.clip_grad_norm", "torch.nn.utils.clip_grad.clip_grad_norm"),
    returns_norm=True,
)
"""Deprecated."""
CLIP_GRAD_VALUE = ClipFunction(
    "clip_grad_value_",
    ("torch.nn.utils.clip_grad_value_", "torch.nn.utils.clip_grad.clip_grad_value_"),
)
_FUNCTIONS = (
    CLIP_GRAD_NORM,
    OLD_CLIP_GRAD_NORM,
    CLIP_GRAD_VALUE,
    ClipFunction("clip_grads_with_norm_"),
    ClipFunction("clip_gradients"),
    ClipFunction("dispatch_clip_grad"),
    ClipFunction("adaptive_clip_grad"),
)
FUNCTIONS: dict[str, ClipFunction] = {row.name: row for row in _FUNCTIONS}
NAMES = tuple(row.name for row in _FUNCTIONS)
RETURNING_NORM = frozenset(origin for row in _FUNCTIONS if row.returns_norm for origin in row.origins)
"""Dotted origins of the functions that return the norm of all gradients."""


def clips_gradients(name: str) -> bool:
    """Whether a call of this last name clips gradients."""
    return name in FUNCTIONS
