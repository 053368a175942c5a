"""Functions of PyTorch as people write them."""

from __future__ import annotations

from typing import Any


def shown(func: Any) -> str:
    """As in "torch.add" and "Tensor.add"; nothing for an attribute that is read."""
    name: str = getattr(func, "__name__", "")
    if name == "__get__":
        return ""
    owner = getattr(func, "__objclass__", None)
    return f"Tensor.{name}" if owner is not None else f"torch.{name}"
