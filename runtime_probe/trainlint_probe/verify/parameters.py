"""What a training has learnt so far, as a digest and a norm: all tensors that modules and optimizers hold."""

from __future__ import annotations

import ctypes
import gc
import hashlib
from collections.abc import Iterator
from math import fsum, sqrt

import torch
from torch.nn.parameter import is_lazy


def digest_and_norm() -> tuple[str, float | None]:
    """The SHA-256 digest of all parameters and buffers in this process, and their Euclidean norm.

    Neither depends on names or on the order of modules. ("", None) where there are none. Waits for the device.
    """
    digests, squares = [], []
    for tensor in _tensors():
        values = tensor.detach().cpu().contiguous()
        digests.append(_digest(values))
        if values.is_floating_point():
            squares.append(float(values.double().square().sum()))
    if not digests:
        return "", None
    return hashlib.sha256(b"".join(sorted(digests))).hexdigest(), sqrt(fsum(squares))


def _tensors() -> Iterator[torch.Tensor]:
    """Each parameter and buffer once, whoever holds it."""
    gc.collect()  # what is only waiting to be collected must not count in one run and be gone in the next
    seen: set[int] = set()
    for holder in gc.get_objects():
        # By type(): `isinstance` asks some proxies for their class, and wakes what they stand for.
        if issubclass(type(holder), torch.nn.Module):
            held = [*holder._parameters.values(), *holder._buffers.values()]  # noqa: SLF001 - its own, without its parts'
        elif issubclass(type(holder), torch.optim.Optimizer):
            held = [parameter for group in holder.param_groups for parameter in group["params"]]
        else:
            continue
        for tensor in held:
            if tensor is None or id(tensor) in seen or is_lazy(tensor):
                continue
            seen.add(id(tensor))
            local = getattr(tensor, "to_local", None)  # of a distributed tensor, this process holds a part
            values = tensor if local is None else local()
            if values.layout is torch.strided and not values.is_meta:
                yield values


def _digest(values: torch.Tensor) -> bytes:
    """The digest of a tensor in the host's memory, which lies there without gaps."""
    found = hashlib.sha256(f"{values.dtype} {tuple(values.shape)}".encode())
    # Read in place: not every data type has a NumPy one, and NumPy need not be there at all.
    found.update((ctypes.c_char * (values.numel() * values.element_size())).from_address(values.data_ptr()))
    return found.digest()
