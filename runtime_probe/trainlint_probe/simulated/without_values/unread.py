"""PyTorch's Python surface where no values are computed: reads give neutral numbers, and the lines that decide by them
are kept.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.nn import functional

from trainlint_probe.simulated.operators import Operators
from trainlint_probe.simulated.without_values.valueless import Valueless

Handler = Callable[[Any, Any], Any]
_Base = torch._C.TensorBase
_WELL = (torch.isfinite, _Base.isfinite, torch.all, _Base.all, torch._is_all_true)
"""Functions whose truth says that all is well."""
_FLASH = 1
"""The number of flash attention among the ways of `torch._fused_sdp_choice`."""
_ATTENTION = {
    argument.name: argument.default_value
    for argument in torch.ops.aten.scaled_dot_product_attention.default._schema.arguments
}
"""What attention may be given, in order, each with its default."""


class Unread:
    """What functions of PyTorch do with tensors that have no values."""

    def __init__(self, operators: Operators, valueless: Valueless, call: Callable[..., Any]) -> None:
        """`call` calls a function of PyTorch, as the script would have."""
        self.operators = operators
        self.places = operators.places
        self.valueless = valueless
        self.call = call

    def handlers(self) -> dict[Any, Handler]:
        """Each function → what is done in its place."""
        return {
            _Base.item: self._item,
            _Base.__bool__: self._truth,
            _Base.is_meta.__get__: lambda args, kwargs: (
                _Base.is_meta.__get__(args[0]) and not self.places.is_known(args[0])
            ),
            _Base.data.__set__: self._set_data,
            _Base.__setitem__: self._set_item,
            functional.scaled_dot_product_attention: self._attention,
            **{function: self._well(function) for function in _WELL},
        }

    def _item(self, args: Any, kwargs: Any) -> Any:
        value = self.call(_Base.item, args, kwargs)
        if not self.places.is_known(args[0]):
            return value
        if isinstance(value, bool):
            self.valueless.decided()
        return self.valueless.numbers.of(value)

    def _truth(self, args: Any, kwargs: Any) -> Any:
        if self.places.is_known(args[0]):
            self.valueless.decided()
        return self.call(_Base.__bool__, args, kwargs)

    def _well(self, function: Any) -> Handler:
        def asked(args: Any, kwargs: Any) -> Any:
            out = self.call(function, args, kwargs)
            if isinstance(out, torch.Tensor) and self.places.is_known(out):
                self.places.call_true(out)
            return out

        return asked

    def _set_item(self, args: Any, kwargs: Any) -> Any:
        """Of a number that is written, PyTorch makes a tensor: on the host, if the other is on the host or on CUDA."""
        tensor, index, value = args
        if isinstance(value, int | float | complex) and tensor.is_meta and self.places.is_known(tensor):
            value = self.operators.silently(torch.tensor, value, dtype=tensor.dtype)
        return self.call(_Base.__setitem__, (tensor, index, value), kwargs)

    def _set_data(self, args: Any, kwargs: Any) -> Any:
        """Tensors cannot take the data of another device of PyTorch's: they change places with it."""
        tensor, data = args
        if tensor.is_meta == data.is_meta:
            return _Base.data.__set__(tensor, data)
        other = data.detach()
        if isinstance(tensor, torch.nn.Parameter):
            other = torch.nn.Parameter(other, requires_grad=tensor.requires_grad)
        torch.utils.swap_tensors(tensor, other)
        return None

    def _attention(self, args: Any, kwargs: Any) -> Any:
        """PyTorch has one way of attention for tensors without values. Here it goes the way of those with values."""
        words = {**_ATTENTION, **dict(zip(_ATTENTION, args, strict=False)), **kwargs}
        if not self.places.is_known(words["query"]) or self._way(words) != _FLASH:
            return self.call(functional.scaled_dot_product_attention, args, kwargs)
        with self.operators.around(args, "torch.scaled_dot_product_attention"):
            return _flash(words)

    def _way(self, words: dict[str, Any]) -> int:
        stand_ins = {name: self.operators.silently(_stand_in, value) for name, value in words.items()}
        return int(self.operators.silently(torch._fused_sdp_choice, **stand_ins))


def _stand_in(value: Any) -> Any:
    """A tensor of the host with the same shape: its memory is never touched."""
    if not isinstance(value, torch.Tensor):
        return value
    made = torch.empty_strided(value.shape, value.stride(), dtype=value.dtype)
    return made.requires_grad_(value.requires_grad)


def _flash(words: dict[str, Any]) -> Any:
    """As ATen does (transformers/attention.cpp)."""
    query, key, value, mask = (words[name] for name in ("query", "key", "value", "attn_mask"))
    if mask is not None and mask.dtype is torch.bool:
        none, all_of_it = (torch.scalar_tensor(number, dtype=query.dtype) for number in (0.0, float("-inf")))
        mask = torch.where(mask, none, all_of_it)
    return torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(
        query, key, value, words["dropout_p"], words["is_causal"], attn_mask=mask, scale=words["scale"]
    )[0]
