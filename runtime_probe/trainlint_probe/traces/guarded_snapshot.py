"""Reads a snapshot of the allocator in a process of its own, with bounds on memory and time.

A pickle of some bytes can ask for all memory, or for a hash that takes for ever, before anybody has looked at it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from trainlint.bounded import SNAPSHOT_BYTES, read_beginning, reason_of
from trainlint.evidence_json import Damaged, from_json, to_json
from trainlint_probe.traces.memory_snapshot import MemoryReading, UnreadableSnapshot, parse_snapshot

_PATIENCE = 300.0
"""Seconds. A snapshot of 1 GB is read in about a minute."""
_LEAST_MEMORY = 1_000_000_000
_MEMORY_FOR_EACH = 40
"""Bytes of memory for each byte of the file: a block of 100 bytes becomes dicts and texts of some kilobytes."""


def read_snapshot(path: Path | str) -> MemoryReading:
    """Read a snapshot. Nothing in it is run: it may hold lists, dicts, texts and numbers alone.

    Raises:
        UnreadableSnapshot: for what is no ordinary file, no pickle or no snapshot, and for what takes too much.
    """
    path = Path(path)
    try:
        read_beginning(path, 1)
        size = path.stat().st_size
    except OSError as error:
        raise UnreadableSnapshot(
            f"{path} cannot be read ({reason_of(error)}): check its name and its permissions."
        ) from error
    if size > SNAPSHOT_BYTES:
        raise UnreadableSnapshot(f"{path} is larger than a snapshot that can be read ({SNAPSHOT_BYTES:,} bytes).")
    try:
        ran = subprocess.run(_command(path, size), capture_output=True, timeout=_PATIENCE, check=False)
    except subprocess.TimeoutExpired as error:
        raise UnreadableSnapshot(f"{path} was not read in {_PATIENCE:.0f} s{_ADVICE}") from error
    try:
        answer = json.loads(ran.stdout)
        if "unreadable" in answer:
            raise UnreadableSnapshot(str(answer["unreadable"]))
        return from_json(answer["reading"], MemoryReading)
    except (Damaged, KeyError, TypeError, ValueError) as error:
        raise UnreadableSnapshot(f"{path} takes more memory than a snapshot of its size does{_ADVICE}") from error


_ADVICE = ": write it again by torch.cuda.memory._dump_snapshot, and read no snapshot that you do not trust."


def _command(path: Path, size: int) -> list[str]:
    """A Python that imports nothing from the working directory: what this one imports from is handed on."""
    code = f"import sys; sys.path[:0] = {sys.path!r}; from {__name__} import answer; answer()"
    return [sys.executable, "-I", "-c", code, str(path), str(_LEAST_MEMORY + _MEMORY_FOR_EACH * size)]


def answer() -> None:
    """Print what a snapshot shows, or why it cannot be read. The path and the bound on memory are the arguments."""
    path, most = sys.argv[1], int(sys.argv[2])
    with suppress(ImportError, OSError, ValueError):  # Windows has no such bound, and other systems may not allow it
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))
    try:
        said = {"reading": to_json(parse_snapshot(path))}
    except UnreadableSnapshot as error:
        said = {"unreadable": str(error)}
    sys.stdout.write(json.dumps(said))
