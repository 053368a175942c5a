"""What PyTorch's allocator can be told by the environment, and what is wrong with a text of such settings.

Sources: c10/core/AllocatorConfig.h and c10/cuda/CUDAAllocatorConfig.h of torch 2.0 to 2.13. Builds with CUDA refuse an
unknown key with a ValueError (seen with 2.13, 2.14 and 2.15), others ignore it. A number out of range, or a text
without a colon, raises at the first use of the device.
"""

from __future__ import annotations

from typing import NamedTuple

VARIABLES = frozenset({"PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF"})
"""The variables of the environment that hold settings; the short one since torch 2.9."""
KEYS = frozenset(
    "max_split_size_mb max_non_split_rounding_mb garbage_collection_threshold roundup_power2_divisions backend "
    "expandable_segments release_lock_on_cudamalloc release_lock_on_hipmalloc pinned_use_cuda_host_register "
    "pinned_use_hip_host_register pinned_num_register_threads pinned_use_background_threads "
    "pinned_reserve_segment_size_mb pinned_max_round_threshold_mb pinned_max_cached_size_mb "
    "graph_capture_record_stream_reuse per_process_memory_fraction throw_on_cudamalloc_oom".split()
)
_LEAST_SPLIT = 20
_CLOSE = 0.8
_RAISES = "raises an error at the first use of the device"


class Problem(NamedTuple):
    """What is wrong with a setting."""

    fact: str
    help: str


def problem(settings: str) -> Problem | None:
    """What is wrong with a text such as "max_split_size_mb:128,expandable_segments:True"; None if nothing is.

    Keys that resemble no known one are left alone: they may be newer than this list.
    """
    for item in _items(settings):
        key, colon, value = (part.strip() for part in item.partition(":"))
        if not colon:
            name, equal, given = key.partition("=")
            fact = f"the allocator cannot read `{key}`, because a colon separates key and value"
            return Problem(fact, f"write `{name.strip()}:{given.strip()}`") if equal else None
        if key not in KEYS:
            from difflib import get_close_matches  # loaded only where there is something to compare

            close = get_close_matches(key, sorted(KEYS), n=1, cutoff=_CLOSE)
            if close:
                fact = f"`{key}` is no setting of the allocator, and builds with CUDA refuse it"
                return Problem(fact, f"write `{close[0]}`")
        number = _number(value)
        if key == "max_split_size_mb" and number is not None and number < _LEAST_SPLIT:
            return Problem(f"`{key}` below {_LEAST_SPLIT} {_RAISES}", f"set {_LEAST_SPLIT} or more")
        if key == "garbage_collection_threshold" and number is not None and not 0 < number < 1:
            return Problem(f"`{key}` outside of (0, 1) {_RAISES}", "set a fraction between 0 and 1")
    return None


def _items(settings: str) -> list[str]:
    """The settings of a text, split at commas that stand in no list."""
    found, depth, start = [], 0, 0
    for place, letter in enumerate(settings):
        depth += (letter == "[") - (letter == "]")
        if letter == "," and depth == 0:
            found.append(settings[start:place])
            start = place + 1
    found.append(settings[start:])
    return [item for item in found if item.strip()]


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
