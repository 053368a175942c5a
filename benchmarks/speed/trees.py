"""The trees of files that everybody is measured on: copies, so that nothing is ever written to a clone."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from benchmarks.speed.contestants import program

_COARSE = 2.5
"""Seconds."""


class NothingToMeasure(Exception):
    """A directory cannot be measured. The message says which, and why."""


@dataclass(frozen=True, slots=True)
class Tree:
    """A directory of Python files, and no others."""

    root: Path
    files: tuple[str, ...]
    """Relative paths, in order."""
    lines: int


def files_of(clone: Path) -> tuple[str, ...]:
    """The Python files of a clone that trainlint would judge. Raises NothingToMeasure."""
    listing = subprocess.run(
        [*program(), "check", "--isolated", "--show-files", "."], cwd=clone, capture_output=True, text=True, check=False
    )
    files = tuple(sorted(line for line in listing.stdout.splitlines() if line.endswith(".py")))
    if not files:
        raise NothingToMeasure(f"{clone} holds no Python file that trainlint would judge: {listing.stderr.strip()}")
    return files


def copied(clone: Path, files: Sequence[str], root: Path) -> Tree:
    """Copies of some files of a clone, as a git repository, since that is where linters run."""
    lines = 0
    for name in files:
        data = (clone / name).read_bytes()
        _put(root / name, data)
        lines += data.count(b"\n")
    _add_to_git(root)
    return Tree(root, tuple(files), lines)


def sample(files: Sequence[str], lines: int, bound: int) -> list[str]:
    """Every second, third, ... file, so that they have about `bound` lines together."""
    return list(files[:: -(-lines // bound)])


def grown(clones: Sequence[tuple[str, Path]], size: int, root: Path) -> Tree:
    """A tree of `size` files: whole copies of the clones, one after the other, under numbered directories.

    Each copied file ends in a comment of its own, so that no two are alike.
    """
    listed = [(name, clone, files_of(clone)) for name, clone in clones]
    names: list[str] = []
    lines = 0
    for number in count(1):
        for repository, clone, files in listed:
            for name in files[: size - len(names)]:
                data = (clone / name).read_bytes()
                data += b"" if data.endswith(b"\n") or not data else b"\n"
                data += f"# copy {number}\n".encode()
                place = f"{repository}_{number:04}/{name}"
                _put(root / place, data)
                names.append(place)
                lines += data.count(b"\n")
        if len(names) == size:
            _add_to_git(root)
            return Tree(root, tuple(names), lines)
    raise AssertionError("counting has no end")


def settle() -> None:
    """Wait until files that were just written are older than the clocks of file systems are coarse, as a clone's are.

    Before, no cache may believe that they have not changed since.
    """
    time.sleep(_COARSE)


def _put(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def _add_to_git(root: Path) -> None:
    # Where this runs inside a hook, GIT_DIR would mean another repository.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    for words in (
        ("init", "--quiet"),
        ("-c", "core.excludesFile=", "-c", "core.autocrlf=false", "add", "--force", "."),
    ):
        subprocess.run(["git", *words], cwd=root, env=environment, check=True, stderr=subprocess.DEVNULL)


def removed(root: Path) -> None:
    """Take a tree away again."""
    shutil.rmtree(root, ignore_errors=True)
