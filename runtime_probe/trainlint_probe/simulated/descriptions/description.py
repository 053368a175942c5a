"""What is known of an operator whatever its arguments: whether it launches, waits, draws, and what may stand in it."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from trainlint.analysis.tables.waits.operators import OPERATORS, UPLOADS, OperatorUpload, OperatorWait
from trainlint_probe.simulated.descriptions.collectives import is_collective

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


class Operator(NamedTuple):
    """What is known of an operator."""

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
    queued: bool = True
    """Whether the host hands it over by itself; the operators of a graph go together."""


def described(func: Any) -> Operator:
    """What is known of an operator."""
    schema = func._schema
    name = schema.name.partition("::")[2]
    overload = f"{name}.{func._overloadname}"
    is_view = any(given.alias_info is not None and not given.alias_info.is_write for given in schema.returns)
    return Operator(
        name,
        _WAITS.get(overload) or _WAITS.get(name),
        _UPLOADS.get(name),
        launches=not is_view and name not in _NO_KERNEL,
        mixes=name in _MIX,
        strict=name in _STRICT,
        collective=is_collective(schema.name.partition("::")[0], name),
        draws=torch.Tag.nondeterministic_seeded in func.tags,
        device_at=next((at for at, argument in enumerate(schema.arguments) if argument.name == "device"), None),
    )
