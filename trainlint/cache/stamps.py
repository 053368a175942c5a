"""What files hold, without reading those that cannot have changed since they were read last.

A file is believed to be the same where size, inode, and both of its times are, to the nanosecond: setting the time of
modification back does not set back that of the change. And only where these times are clearly older than the reading:
a file that changes twice within one tick of the clock shows the same times (git calls such entries racily clean). It
is read again.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from trainlint.bounded import read_bounded
from trainlint.cache.keys import digest
from trainlint.notebooks import most_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.cache.store import Store

_CLEARLY = 2_000_000_000
"""In nanoseconds: FAT counts time in steps of two seconds, other file systems in far smaller ones."""
_MOST = 2**63 - 1
"""The largest number that SQLite holds; some file systems number their files beyond it."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """What the file system says of a file; times are in nanoseconds."""

    size: int
    mtime: int
    inode: int
    ctime: int
    """When its name, its owner or what it holds changed last; on Windows, when it was made."""

    @classmethod
    def of(cls, status: os.stat_result) -> Stamp:
        """The stamp in what `os.stat` says."""
        return cls(status.st_size, status.st_mtime_ns, status.st_ino & _MOST, status.st_ctime_ns)


@dataclass(frozen=True, slots=True)
class FileRecord:
    """What a file held when it was read."""

    stamp: Stamp
    read: int
    """When it was read, in nanoseconds."""
    digest: bytes

    @property
    def settled(self) -> bool:
        """Whether a change after the reading would show in the stamp."""
        return max(self.stamp.mtime, self.stamp.ctime) < self.read - _CLEARLY


class Contents:
    """The digests of what files hold, at one moment of a run."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.found: dict[str, FileRecord] = {}
        self.new: dict[str, FileRecord] = {}
        """Of these, the files that were read now."""

    def look(self, paths: Iterable[str]) -> None:
        """Find out what files hold, by absolute paths. What cannot be read is not among what is found."""
        wanted = [path for path in paths if path not in self.found]
        known = self.store.seen(wanted)
        for path in wanted:
            status = _status(path)
            if status is None:
                continue
            stamp = Stamp.of(status)
            seen = known.get(path)
            if seen is None or seen.stamp != stamp or not seen.settled:
                seen = _read(path, stamp)
                if seen is None:
                    continue
                self.new[path] = seen
            self.found[path] = seen

    def digest(self, path: str) -> bytes | None:
        """What stands for the bytes of a file that was looked at; None where it could not be read."""
        seen = self.found.get(path)
        return seen.digest if seen is not None else None

    def unchanged(self, paths: Sequence[str]) -> set[str]:
        """Which of the files still hold what they held when they were looked at, however short ago that was."""
        same: set[str] = set()
        for path in paths:
            seen = self.found.get(path)
            status = _status(path) if seen is not None else None
            if seen is None or status is None or Stamp.of(status) != seen.stamp:
                continue
            if not seen.settled:
                again = _read(path, seen.stamp)
                if again is None or again.digest != seen.digest:
                    continue
            same.add(path)
        return same


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except OSError:
        return None


def _read(path: str, stamp: Stamp) -> FileRecord | None:
    """What a file holds; None where that cannot be read, or changes meanwhile."""
    before = time.time_ns()
    try:
        data = read_bounded(path, most_bytes(path))
        same = Stamp.of(os.stat(path)) == stamp
    except OSError:  # larger files are not read: nothing is kept of them
        return None
    return FileRecord(stamp, before, digest(data)) if same else None
