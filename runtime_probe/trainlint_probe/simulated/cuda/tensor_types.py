"""`torch.cuda.FloatTensor` and its like: constructors, types to convert to, and classes to ask for."""

from __future__ import annotations

from typing import Any

import torch

from trainlint_probe.simulated.copies import Copies
from trainlint_probe.simulated.events import HOST_TO_DEVICE, Kind, What

_NAMES = {
    "FloatTensor": torch.float32,
    "DoubleTensor": torch.float64,
    "HalfTensor": torch.float16,
    "BFloat16Tensor": torch.bfloat16,
    "LongTensor": torch.int64,
    "IntTensor": torch.int32,
    "ShortTensor": torch.int16,
    "CharTensor": torch.int8,
    "ByteTensor": torch.uint8,
    "BoolTensor": torch.bool,
}


class _TensorType(type):
    """The class of such a constructor."""

    dtype: torch.dtype
    simulated_type: str
    copies: Copies

    def __instancecheck__(cls, value: object) -> bool:
        return (
            isinstance(value, torch.Tensor) and value.dtype == cls.dtype and cls.copies.places.device(value) is not None
        )

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        host = getattr(torch, cls.simulated_type.rpartition(".")[2])
        made = host(*args)
        sized = not args or all(isinstance(size, int) for size in args)
        if not sized:  # data, and not the sizes of a tensor without any
            what = What(Kind.COPY, cls.simulated_type, HOST_TO_DEVICE, blocking=True, pageable=True)
            cls.copies.log.note(what, made.numel() * made.element_size())
        if cls.copies.operators.valueless is not None:
            made = cls.copies.operators.valueless.emptied(made)
        cls.copies.places.put(made, cls.copies.current)
        return made


def tensor_types(copies: Copies) -> dict[str, type]:
    """Each name in torch.cuda → its replacement."""
    return {
        name: _TensorType(
            name, (), {"dtype": dtype, "simulated_type": f"torch.cuda.{name}", "copies": copies, "is_cuda": True}
        )
        for name, dtype in _NAMES.items()
    }
