"""Functions and methods that clip gradients."""

from __future__ import annotations

from typing import NamedTuple


class ClipFunction(NamedTuple):
    """One function or method that changes gradients in place, by its last name."""

    name: str
    packages: str
    """The packages that have it as a function, separated by spaces."""
    origins: tuple[str, ...] = ()
    """Its dotted origins in PyTorch, the public one first."""
    returns_norm: bool = False
    """Whether it returns the norm of all gradients, on their device."""
    method: bool = False
    """Whether FSDP, Accelerate, Fabric or DeepSpeed have it as a method, too."""


CLIP_GRAD_NORM = ClipFunction(
    "clip_grad_norm_",
    "torch",
    ("torch.nn.utils.clip_grad_norm_", "torch.nn.utils.clip_grad.clip_grad_norm_"),
    returns_norm=True,
    method=True,
)
OLD_CLIP_GRAD_NORM = ClipFunction(
    "clip_grad_norm",
    "torch",
    ("torch.nn.utils.clip_grad_norm", "torch.nn.utils.clip_grad.clip_grad_norm"),
    returns_norm=True,
    method=True,
)
"""Deprecated."""
CLIP_GRAD_VALUE = ClipFunction(
    "clip_grad_value_",
    "torch",
    ("torch.nn.utils.clip_grad_value_", "torch.nn.utils.clip_grad.clip_grad_value_"),
    method=True,
)
_FUNCTIONS = (
    CLIP_GRAD_NORM,
    OLD_CLIP_GRAD_NORM,
    CLIP_GRAD_VALUE,
    ClipFunction("clip_grads_with_norm_", "torch"),
    ClipFunction("clip_gradients", "", method=True),
    ClipFunction("dispatch_clip_grad", "timm"),
    ClipFunction("adaptive_clip_grad", "timm"),
)
FUNCTIONS: dict[str, ClipFunction] = {row.name: row for row in _FUNCTIONS}
NAMES = tuple(row.name for row in _FUNCTIONS)
IMPORTED = frozenset(row.name for row in _FUNCTIONS if row.packages)
"""The last names of what packages have as functions, for the triggers of rules."""
METHODS = frozenset(row.name for row in _FUNCTIONS if row.method)
RETURNING_NORM = frozenset(origin for row in _FUNCTIONS if row.returns_norm for origin in row.origins)
"""Dotted origins of the functions that return the norm of all gradients."""


def clips_gradients(name: str) -> bool:
    """Whether a call of this last name clips gradients."""
    return name in FUNCTIONS
