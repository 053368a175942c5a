"""Counts the floating point operations of a step, and in which precision the device computes them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode

from trainlint.devices import Precision
from trainlint_probe.environment import tf32_allowed

_LEFT_OUT = {
    "aten::_cudnn_rnn": "recurrent layers",
    "aten::miopen_rnn": "recurrent layers",
    "aten::mkldnn_rnn_layer": "recurrent layers",
    "aten::_scaled_dot_product_flash_attention_for_cpu": "attention on the CPU",
}
"""Operators that are full of products, and that PyTorch's counter does not know."""

_OF_TYPE = {"float16": Precision.FP16.value, "bfloat16": Precision.BF16.value}


@dataclass(frozen=True, slots=True)
class Operations:
    """Those of a stretch of a training."""

    total: float
    on_device: Mapping[str, float]
    """Of them, those of an accelerator, by precision: a value of `Precision`, or PyTorch's name of another type."""
    left_out: tuple[str, ...] = ()
    """What ran and was not counted, for people."""


class Counter:
    """Counts while it is entered. PyTorch's own counter knows matrix products, convolutions and attention alone."""

    def __init__(self) -> None:
        self._counter = FlopCounterMode(display=False)
        self._counter.mod_tracker = _NoModules()
        self._on_device: dict[str, float] = defaultdict(float)
        self._left_out: set[str] = set()

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Every operator passes through here meanwhile, those of backward as well."""
        with self._counter, _Sorting(self._counter, self._on_device, self._left_out):
            yield

    def counted(self) -> Operations:
        """What was counted so far."""
        total = float(self._counter.get_total_flops())
        return Operations(total, dict(self._on_device), tuple(sorted(self._left_out)))


class _NoModules:
    """Stands in for what counts by modules: its hooks make `torch.autograd.grad` fail, as in a gradient penalty."""

    parents = frozenset({"Global"})

    def __enter__(self) -> None:
        return

    def __exit__(self, *error: object) -> None:
        return


class _Sorting(TorchDispatchMode):  # type: ignore[misc]  # mypy does not read torch
    """Sees each operator before the counter does, and looks by how much the count has risen after it."""

    def __init__(self, counter: FlopCounterMode, found: dict[str, float], left_out: set[str]) -> None:
        super().__init__()
        self._counter = counter
        self._found = found
        self._left_out = left_out

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func.name() in _LEFT_OUT:
            self._left_out.add(_LEFT_OUT[func.name()])
        before = self._counter.get_total_flops()
        result = func(*args, **(kwargs or {}))
        more = self._counter.get_total_flops() - before
        if more:
            factor = next((item for item in args if isinstance(item, torch.Tensor) and item.is_floating_point()), None)
            if factor is not None and not factor.is_cpu:
                self._found[_precision(factor.dtype, is_convolution="conv" in str(func))] += more
        return result


def _precision(kind: torch.dtype, *, is_convolution: bool) -> str:
    name = str(kind).removeprefix("torch.")
    if name == "float32":
        return _of_float32(is_convolution=is_convolution)
    return Precision.FP8.value if name.startswith("float8") else _OF_TYPE.get(name, name)


def _of_float32(*, is_convolution: bool) -> str:
    """Whether products of float32 may be computed as TF32. What a build for AMD makes of the switch is not known."""
    if not tf32_allowed(torch, is_convolution=is_convolution):
        return Precision.FP32.value
    return "float32, perhaps as TF32" if torch.version.hip else Precision.TF32.value
