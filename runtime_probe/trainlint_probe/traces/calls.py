"""What calls of CUDA's and ROCm's runtime and driver do, by their names."""

from __future__ import annotations

import re
from functools import cache

_PREFIX = re.compile(r"(?:cuda|cu|hip)(?=[A-Z])")
_VERSION = re.compile(r"(?:_v\d+|_ptsz|_ptds|_spt|R\d+)+$")
_WAITS = {"StreamSynchronize", "DeviceSynchronize", "EventSynchronize", "CtxSynchronize"}
# ROCm's build of torch copies and waits in one call, and the trace shows no other.
_WAITING_COPY = re.compile(r"Memcpy(?:2D|3D|HtoD|DtoH|ToSymbol|FromSymbol)?$|MemcpyWithStream$")
_MEMORY = re.compile(
    r"(?:Ext)?Malloc(?:Managed|Pitch|Array)?$|MemAlloc(?:Managed|Pitch)?$|MemCreate$|Free$|MemFree$|MemRelease$"
)


@cache
def _plain(name: str) -> str:
    """The name without the maker's prefix and the version: "hipStreamSynchronize_spt" → "StreamSynchronize"."""
    prefix = _PREFIX.match(name)
    return _VERSION.sub("", name[prefix.end() :]) if prefix else ""


def launches(name: str) -> bool:
    """Whether the call hands the device kernels to run."""
    return "Launch" in _plain(name) and "HostFunc" not in name


def waits(name: str) -> bool:
    """Whether the call is there to wait for the device."""
    return _plain(name) in _WAITS


def waits_for_stream(name: str) -> bool:
    """Whether it waits for one stream, as a blocking copy does for its own."""
    return _plain(name) == "StreamSynchronize"


def copies(name: str) -> bool:
    """Whether the call copies, and perhaps waits as well."""
    return _plain(name).startswith("Memcpy")


def copies_and_waits(name: str) -> bool:
    """Whether the call returns only when its copy is done, whatever memory it reads and writes."""
    return bool(_WAITING_COPY.match(_plain(name)))


def asks_for_memory(name: str) -> bool:
    """Whether the call asks the driver for memory of the device, or gives it back, which waits for the device."""
    return bool(_MEMORY.match(_plain(name)))


def asks_only(name: str) -> bool:
    """Whether the call asks for a state and changes none: one may stand between a copy and the wait for it."""
    return any(word in _plain(name) for word in ("Get", "Query", "IsCapturing", "PeekAtLastError", "Occupancy"))
