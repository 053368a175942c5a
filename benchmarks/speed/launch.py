"""Runs one command and writes what it took to a file.

python launch.py REPORT SECONDS CORES STDOUT STDERR COMMAND...

A program of its own, and a small one: a process starts out as a copy of the one that starts it, and the system counts
the memory of that copy as well. Started from here, a peak is wrong by no more than a bare Python.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time


def main() -> int:
    """Run the command, for at most SECONDS, on as many processors as CORES says (0: any)."""
    report, seconds, cores, out, err, *command = sys.argv[1:]
    late = False
    start = time.perf_counter()
    child = os.fork()
    if child == 0:
        _become(command, int(cores), out, err)

    def end(*_: object) -> None:
        nonlocal late
        late = True
        os.killpg(child, signal.SIGKILL)

    signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, float(seconds))
    _, status, usage = os.wait4(child, 0)
    took = {
        "cpu": usage.ru_utime + usage.ru_stime,
        "wall": time.perf_counter() - start,
        # The largest process of the tree, in bytes; Linux counts in kilobytes.
        "peak": usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
        "code": os.waitstatus_to_exitcode(status),
        "late": late,
    }
    with open(report, "w", encoding="utf-8") as file:  # noqa: PTH123 - pathlib would make this process larger
        json.dump(took, file)
    return 0


def _become(command: list[str], cores: int, out: str, err: str) -> None:
    """Turn this copy into the command, as the head of a group of processes that can be ended together."""
    try:
        os.setsid()
        if cores and hasattr(os, "sched_setaffinity"):
            # The last ones: systems like to do their own work on the first.
            os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-cores:])
        for path, descriptor in ((out, 1), (err, 2)):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.execvp(command[0], command)  # noqa: S606 - no shell is wanted
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode())
    os._exit(127)


if __name__ == "__main__":
    sys.exit(main())
