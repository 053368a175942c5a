"""Memory of the machine that nobody uses."""

from __future__ import annotations


def available() -> float:
    """Bytes; 0 where the system does not say."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:  # noqa: PTH123 - a file of the system's
            return next(1024.0 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        return 0.0
