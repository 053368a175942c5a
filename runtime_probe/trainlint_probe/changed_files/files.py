"""What a run did to files: those below some directories, before and after."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from trainlint_probe.watch.saving.guard import SUFFIXES

SKIPPED = frozenset(
    (".git", ".hg", ".mypy_cache", ".ruff_cache", ".venv", "__pycache__", "node_modules", "site-packages")
)
"""Directories whose files are nobody's work."""
MOST = 200_000
"""Files that are looked at; beyond, a scan would take longer than the run."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Files and directories at one moment."""

    files: Mapping[str, tuple[int, int, int]]
    """Path → size, time of change in nanoseconds, inode."""
    directories: frozenset[str]
    is_whole: bool
    """False where there are more than MOST files."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What differs between two snapshots; paths are absolute and sorted."""

    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    size: int = 0
    """Bytes of the files that are new or changed."""
    is_whole: bool = True
    """False where not all files could be looked at."""

    @property
    def touched_checkpoints(self) -> tuple[str, ...]:
        """Files that held what training had learnt, and that the run overwrote or removed."""
        return tuple(path for path in (*self.changed, *self.removed) if Path(path).suffix in SUFFIXES)


def snapshot(directories: Iterable[Path]) -> Snapshot:
    """The files below some directories, without those of version control, caches and installed packages."""
    files: dict[str, tuple[int, int, int]] = {}
    folders: set[str] = set()
    for directory in directories:
        folders.add(str(directory))
        for entry in walk(str(directory)):
            if len(files) >= MOST:
                return Snapshot(files, frozenset(folders), is_whole=False)
            try:
                if entry.is_dir(follow_symlinks=False):
                    folders.add(entry.path)
                    continue
                state = entry.stat(follow_symlinks=False)
            except OSError:
                continue  # it is gone again
            files[entry.path] = (state.st_size, state.st_mtime_ns, state.st_ino)
    return Snapshot(files, frozenset(folders), is_whole=True)


def changes(before: Snapshot, after: Snapshot) -> Changes:
    """What happened between two snapshots. Directories that are new and empty are removed: nothing was left in them."""
    for directory in sorted(after.directories - before.directories, reverse=True):
        try:
            Path(directory).rmdir()
        except OSError:
            continue  # it holds something, and that is reported
    new = after.files.keys() - before.files.keys()
    changed = {path for path in before.files.keys() & after.files.keys() if before.files[path] != after.files[path]}
    return Changes(
        new=tuple(sorted(new)),
        changed=tuple(sorted(changed)),
        removed=tuple(sorted(before.files.keys() - after.files.keys())),
        size=sum(after.files[path][0] for path in new | changed),
        is_whole=before.is_whole and after.is_whole,
    )


def walk(directory: str) -> Iterator[os.DirEntry[str]]:
    """All files and directories below one, without those of SKIPPED."""
    try:
        entries = list(os.scandir(directory))
    except OSError:
        return  # it cannot be read, so neither could the script write there unseen
    for entry in entries:
        if entry.name in SKIPPED:
            continue
        yield entry
        if entry.is_dir(follow_symlinks=False):
            yield from walk(entry.path)
