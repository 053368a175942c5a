"""Reads PyTorch's message that the device's memory is exhausted, and says what to try, in order."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SIZE = r"(?<![0-9.])([0-9.]{1,20}) ?(bytes|[KMGT]i?B)"
_TRIED = re.compile(rf"Tried to allocate {_SIZE}")
_CAPACITY = re.compile(rf"total capacity(?: of|;)? ?{_SIZE}|{_SIZE} total capacity")
_ALLOCATED = re.compile(rf"{_SIZE} (?:is |memory )?(?:already )?allocated(?: by PyTorch)?")
_UNUSED = re.compile(rf"{_SIZE} is reserved by PyTorch but unallocated")
_RESERVED = re.compile(rf"{_SIZE} reserved in total by PyTorch")
_FREE = re.compile(rf"of which {_SIZE} is free|{_SIZE} free")
_UNITS = {
    "bytes": 1,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
    "TiB": 2**40,
    "KB": 1e3,
    "MB": 1e6,
    "GB": 1e9,
    "TB": 1e12,
}
_MANY = 0.1
"""A share of the capacity that lies reserved and unused is fragmentation above this."""


class NoMessage(ValueError):
    """The text holds no such message."""


@dataclass(frozen=True, slots=True)
class OutOfMemory:
    """What the message says, in bytes; None for what it does not say."""

    tried: float
    capacity: float | None
    allocated: float | None
    """What tensors hold."""
    unused: float | None
    """What the allocator keeps from the driver without a tensor in it."""
    free: float | None

    @property
    def fragmented(self) -> bool:
        """Whether more lies unused than was asked for, and much of the device."""
        return self.unused is not None and self.unused > max(self.tried, _MANY * (self.capacity or 0.0))

    @property
    def elsewhere(self) -> float | None:
        """What neither PyTorch nor nobody holds: other processes, the CUDA context, libraries."""
        if None in (self.capacity, self.allocated, self.unused, self.free):
            return None
        assert self.capacity is not None
        return max(0.0, self.capacity - (self.allocated or 0) - (self.unused or 0) - (self.free or 0))


def read_message(text: str) -> OutOfMemory:
    """The last such message of a text. Raises NoMessage where there is none."""
    start = text.rfind("Tried to allocate")
    tried = _bytes(_TRIED, text[start:]) if start >= 0 else None
    if tried is None:
        raise NoMessage('holds no message of PyTorch with "Tried to allocate"')
    message = text[start : start + 2000]
    allocated, unused = _bytes(_ALLOCATED, message), _bytes(_UNUSED, message)
    reserved = _bytes(_RESERVED, message)
    if unused is None and reserved is not None and allocated is not None:
        unused = max(0.0, reserved - allocated)  # as PyTorch 1 wrote it
    return OutOfMemory(tried, _bytes(_CAPACITY, message), allocated, unused, _bytes(_FREE, message))


def steps(found: OutOfMemory) -> tuple[str, ...]:
    """What to try, in order."""
    listed = []
    capacity = found.capacity or 0.0
    if found.elsewhere is not None and capacity and found.elsewhere > 0.15 * capacity:
        listed.append("look with `nvidia-smi` for other processes on this GPU, and end them")
    if found.fragmented:
        listed.append(
            "set PYTORCH_ALLOC_CONF=expandable_segments:True (older releases read PYTORCH_CUDA_ALLOC_CONF), "
            "or pad batches to a few lengths, so that blocks fit again"
        )
        listed.append(
            "make what lives long first, several tensors in one contiguous buffer, so that it splits no block"
        )
    if capacity and found.tried > 0.2 * capacity:
        listed.append(
            "look at the line of the traceback: one tensor of this size is often the logits (compute the loss in "
            "pieces) or the scores of attention (use scaled_dot_product_attention)"
        )
    listed += [
        "look for tensors that are kept: `trainlint check` finds losses summed with their graph, `trainlint probe` "
        "finds growth from step to step",
        "halve the micro-batch and double accumulation",
        "use mixed precision, activations that work in place (`nn.ReLU(inplace=True)`), and activation checkpointing "
        "for the layers",
        "use an 8-bit optimizer, or shard the states: `trainlint plan` says what fits",
    ]
    return tuple(listed)


def describe(found: OutOfMemory) -> str:
    """What the message says, in a sentence or two."""
    parts = [f"{_gib(found.tried)} were asked for"]
    if found.capacity is not None:
        parts[0] += f" of a GPU with {_gib(found.capacity)}"
    if found.allocated is not None:
        parts.append(f"tensors hold {_gib(found.allocated)}")
    if found.unused is not None:
        parts.append(f"{_gib(found.unused)} lie reserved and unused")
    if found.free is not None:
        parts.append(f"{_gib(found.free)} are free")
    sentence = "; ".join(parts) + "."
    if found.fragmented:
        sentence += " More lies unused than was asked for, in pieces: the memory is fragmented."
    return sentence


def _bytes(pattern: re.Pattern[str], text: str) -> float | None:
    found = pattern.search(text)
    if found is None:
        return None
    number, unit = (part for part in found.groups() if part is not None)
    try:
        return float(number) * _UNITS[unit]
    except (KeyError, ValueError):
        return None


def _gib(value: float) -> str:
    return f"{value / 2**30:.2f} GiB" if value >= 2**28 else f"{value / 2**20:.1f} MiB"
