"""Mixed precision: contexts of autocast and gradient scalers."""

from __future__ import annotations

from typing import NamedTuple


class AutocastContext(NamedTuple):
    """A context in which operations choose their precision."""

    name: str
    packages: str
    """The packages that have it, separated by spaces."""
    devices: tuple[tuple[str, str | None], ...] = ()
    """Dotted origins in PyTorch, each with the device that the name stands for; None where the call names it."""


class ScalerClass(NamedTuple):
    """A class that multiplies losses, so that small gradients of 16 bits do not become zero."""

    name: str
    packages: str
    """The packages that have it, separated by spaces."""


_TORCH = "torch torch_xla torch_npu intel_extension_for_pytorch"
AUTOCAST = AutocastContext(
    "autocast",
    f"{_TORCH} mmengine mmcv",
    (
        ("torch.autocast", None),
        ("torch.amp.autocast", None),
        ("torch.amp.autocast_mode.autocast", None),
        ("torch.cuda.amp.autocast", "cuda"),
        ("torch.cuda.amp.autocast_mode.autocast", "cuda"),
        ("torch.cpu.amp.autocast", "cpu"),
    ),
)
"""PyTorch's own."""
FP8_AUTOCAST = AutocastContext("fp8_autocast", "transformer_engine")
AUTOCASTS = (AUTOCAST, FP8_AUTOCAST)
GRAD_SCALER = ScalerClass("GradScaler", f"{_TORCH} mmengine mmcv fairscale timm")
"""PyTorch's own."""
SCALERS = (
    GRAD_SCALER,
    ScalerClass("ShardedGradScaler", f"{_TORCH} mmengine mmcv fairscale"),
    ScalerClass("NativeScaler", "timm"),
    ScalerClass("ApexScaler", "timm"),
)
NAMES = tuple(row.name for row in (*AUTOCASTS, *SCALERS))
AUTOCAST_DEVICES: dict[str, str | None] = dict(AUTOCAST.devices)
"""Dotted origin of PyTorch's autocast → the device that the name stands for; None where the first argument names it."""
_SCALER_CLASSES = frozenset(row.name for row in SCALERS)


def is_scaler_class(name: str) -> bool:
    """Whether a class of this name scales losses; classes that derive from one often have its name at the end."""
    return name in _SCALER_CLASSES or name.endswith(GRAD_SCALER.name)
