"""The machine in words."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def machine() -> str:
    """Processor, cores, memory, system and Python, for example "AMD EPYC, 2 cores, 23 GiB, Linux 6.1, CPython 3.11"."""
    parts = [_processor(), _cores()]
    memory = _memory()
    if memory:
        parts.append(f"{memory / 2**30:.0f} GiB of memory")
    parts.append(f"{platform.system()} {'.'.join(platform.release().split('.')[:2])}")
    parts.append(f"{platform.python_implementation()} {platform.python_version()}")
    return ", ".join(parts)


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    named = [line.partition(":")[2].strip() for line in text.splitlines() if line.startswith("model name")]
    return f"{named[0]} ({platform.machine()})" if named else platform.machine()


def _cores() -> str:
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return "1 core" if count == 1 else f"{count} cores"


def _memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return 0
