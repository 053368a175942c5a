"""What is known of an operator whatever its arguments: whether it launches, waits, draws, and what may stand in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from trainlint.analysis.tables.waits.operators import OPERATORS, UPLOADS, OperatorUpload, OperatorWait
from trainlint_probe.simulated.descriptions.collectives import is_collective
from trainlint_probe.simulated.descriptions.precision import is_lowered

_VERSION = tuple(int(part) for part in torch.__version__.split(".")[:2])
_WAITS = {row.name: row for row in OPERATORS if row.until is None or row.until > _VERSION}
_UPLOADS = {row.name: row for row in UPLOADS}
INDEXING = frozenset("index _unsafe_index index_put index_put_ _index_put_impl_ _unsafe_index_put".split())
"""Operators that take a list of indices, of which those on the host are copied to the device
(aten/src/ATen/native/TensorAdvancedIndexing.cpp, make_info)."""
_MIX = INDEXING | frozenset(
    (
        "copy_ _to_copy set_ record_stream _foreach_copy_ _pack_padded_sequence _pad_packed_sequence lstm gru rnn_tanh "
        "rnn_relu _ctc_loss _use_cudnn_ctc_loss detach alias lift_fresh resize_as_ _has_compatible_shallow_copy_type "
        "_nested_view_from_jagged"
    ).split()
)
"""Operators that take tensors of the host beside those of a device."""
_STRICT = frozenset("cat stack".split())
"""Operators that take no scalar of the host either (aten/src/ATen/native/cuda/Shape.cu)."""
_NO_KERNEL = frozenset(
    "empty empty_like empty_strided new_empty new_empty_strided _unsafe_view resize_ resize_as_ set_ "
    "_local_scalar_dense record_stream _has_compatible_shallow_copy_type".split()
)
"""Operators that launch no kernel although they give no view."""
_REPLACING = frozenset("set_ resize_ resize_as_".split())
"""Operators that may give a tensor other memory."""
_ODD = INDEXING | frozenset("copy_ _local_scalar_dense _pack_padded_sequence".split())
"""Operators of which more is to be known than what stands here."""


@dataclass(frozen=True, slots=True)
class Operator:
    """What is known of an operator."""

    func: Any
    """PyTorch's object for it."""
    call: Callable[..., Any]
    """What runs it: what `func` calls, where it only does that."""
    name: str
    wait: OperatorWait | None
    upload: OperatorUpload | None
    launches: bool
    """Whether it queues work for the device; views and sizes do not."""
    mixes: bool
    """Whether tensors of the host may stand beside those of a device."""
    strict: bool
    """Whether not even scalars may."""
    collective: bool
    """Whether it sends tensors between ranks."""
    draws: bool
    """Whether it draws random numbers."""
    device_at: int | None
    """The position of its argument `device`."""
    in_place: bool
    """Whether all its results are arguments that it writes into. Views are not asked for: `Tensor.to` says of its
    result that it may be one, and in inference mode it comes here as it is."""
    lowered: bool
    """Whether autocast runs it in 16 bits."""
    plain: bool
    """Whether it only computes: it neither waits nor copies, draws nor sends, and is told no device."""
    queued: bool = True
    """Whether the host hands it over by itself; the operators of a graph go together."""


def described(func: Any) -> Operator:
    """What is known of an operator."""
    schema = func._schema
    name = schema.name.partition("::")[2]
    overload = f"{name}.{func._overloadname}"
    aliased = [given.alias_info for given in schema.returns]
    is_view = any(alias is not None and not alias.is_write for alias in aliased)
    wait, upload = _WAITS.get(overload) or _WAITS.get(name), _UPLOADS.get(name)
    collective = is_collective(func.namespace, name)
    draws = torch.Tag.nondeterministic_seeded in func.tags
    device_at = _device_at(schema)
    does_more = (wait, upload, collective, draws, device_at is not None, name in _ODD, func.namespace == "quantized")
    return Operator(
        func,
        func._op if type(func) is torch._ops.OpOverload else func,
        name,
        wait,
        upload,
        launches=not is_view and name not in _NO_KERNEL,
        mixes=name in _MIX,
        strict=name in _STRICT,
        collective=collective,
        draws=draws,
        device_at=device_at,
        in_place=_is_in_place(aliased) and name not in _REPLACING,
        lowered=is_lowered(name),
        plain=not any(does_more),
    )


def _device_at(schema: Any) -> int | None:
    return next((at for at, argument in enumerate(schema.arguments) if argument.name == "device"), None)


def _is_in_place(aliased: Any) -> bool:
    return bool(aliased) and all(alias is not None and alias.is_write for alias in aliased)
