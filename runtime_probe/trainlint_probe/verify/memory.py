"""The most memory of the machine that this process and those below it needed."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

from trainlint_probe.processes import descendants


def host_peak() -> int:
    """Bytes: the most that this process held so far, and what its own processes hold beside it now.

    Of loader workers only what they share with nobody counts: the rest is in ours.
    """
    return _most_held() + sum(map(_private, descendants(os.getpid())))


def _most_held() -> int:
    if sys.platform.startswith("linux"):
        # Not `ru_maxrss`: it begins with what the process that started us held.
        for line in Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def _private(process: int) -> int:
    """Bytes that a process shares with no other; 0 where it has ended meanwhile."""
    held = 0
    with suppress(OSError):
        for line in Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii").splitlines():
            if line.startswith("Private_"):
                held += int(line.split()[1]) * 1024
    return held
