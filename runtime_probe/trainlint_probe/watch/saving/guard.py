"""Stops the run before a checkpoint that was there before is overwritten or removed.

Python tells of each file that it is about to open, rename or remove (an audit event), and a hook that ends the process
there comes first. What libraries write by themselves, past Python, is not told: the known ones are redirected, and the
scan of files after the run finds the others.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

SUFFIXES = frozenset((".bin", ".ckpt", ".distcp", ".pt", ".pt2", ".pth", ".safetensors"))
"""Of files that hold what training has learnt."""

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_TRUNC | os.O_APPEND | os.O_CREAT
# The event, and which of its arguments are paths that will be lost or overwritten.
_LOSES = {"os.remove": (0,), "os.rename": (0, 1), "os.truncate": (0,)}


def install(spared: Iterable[str], new: set[str], stop: Callable[[str], None]) -> None:
    """Begin to guard.

    Args:
        spared: directories in which nothing that happens does anything to the user's files: the probe's own, and those
            under an overlay.
        new: gets the files that the run makes.
        stop: called with the path of a checkpoint before it is touched.
    """
    ours = tuple(os.path.realpath(directory) + os.sep for directory in spared)
    temporary = os.path.realpath(tempfile.gettempdir()) + os.sep
    working_directory = os.path.realpath(Path.cwd()) + os.sep
    spare_temporary = not working_directory.startswith(temporary)

    def look(path: Any, *, opened: bool) -> None:
        if not isinstance(path, (str, bytes, os.PathLike)):
            return  # a descriptor: it was opened before
        real = os.path.realpath(os.fsdecode(path))
        if real.startswith(ours) or (spare_temporary and real.startswith(temporary)):
            return
        if not os.path.isfile(real):  # noqa: PTH113 - at each file that is opened, and pathlib takes several times as long
            if opened:
                new.add(real)
        elif real not in new and os.path.splitext(real)[1] in SUFFIXES:  # noqa: PTH122 - the same
            stop(real)

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, mode, flags = arguments
            if (flags & _WRITES) if mode is None else any(letter in mode for letter in "wax+"):
                look(path, opened=True)
        elif event in _LOSES:
            for place in _LOSES[event]:
                look(arguments[place], opened=False)
        elif event == "shutil.rmtree":
            for path in Path(os.fsdecode(arguments[0])).rglob("*"):
                if path.suffix in SUFFIXES:
                    look(path, opened=False)

    sys.addaudithook(hook)
