"""Where saved files go instead: each path has a twin below a temporary directory, and is read back from there.

What lies under an overlay has none: there the script writes to a layer of its own, by whatever way.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any


class RedirectedFiles:
    """The files that were meant to be written, and where they were."""

    def __init__(self, directory: Path, overlaid: Sequence[str] = ()) -> None:
        """`directory` is made when something is saved. All processes of a run share it, as they share their files.

        `overlaid` are directories under an overlay.
        """
        self.directory = directory
        self.overlaid = tuple(os.path.realpath(root) + os.sep for root in overlaid)
        self.meant: dict[str, None] = {}
        """The real paths, in the order in which they were saved first."""

    def need_none(self, path: Any) -> bool:
        """Whether an overlay keeps what is written to a path from the user's files, links followed."""
        return bool(self.overlaid) and os.path.realpath(_real(path)).startswith(self.overlaid)

    def to_write(self, path: Any) -> str:
        """The twin of a path, with the directories above it."""
        real = _real(path)
        if self.holds(real):
            return real  # an entry point that was redirected calls another
        twin = self._redirected_path(real)
        twin.parent.mkdir(parents=True, exist_ok=True)
        self.meant.setdefault(real)
        return str(twin)

    def to_read(self, path: Any) -> Any:
        """The twin where there is one; else the path itself, untouched."""
        if not isinstance(path, (str, os.PathLike)):
            return path
        real = _real(path)
        twin = self._redirected_path(real)
        return str(twin) if not self.holds(real) and twin.exists() else path

    def _redirected_path(self, real: str) -> Path:
        return self.directory / Path(real).relative_to(Path(real).anchor)

    def holds(self, real: str) -> bool:
        """Whether a path lies among the twins."""
        return Path(real).is_relative_to(self.directory)


def _real(path: Any) -> str:
    """An absolute path. Accelerate, Lightning and fsspec also write `file:///...`."""
    text = os.fspath(path)
    text = os.fsdecode(text).removeprefix("file://")
    return os.path.abspath(text)  # noqa: PTH100 - Path.absolute keeps "..", and then two spellings have two twins


def name_of_file(stream: Any) -> str | None:
    """The path of an open file; None for a buffer, a pipe, or what no file stands behind."""
    name = getattr(stream, "name", None)
    return name if isinstance(name, str) and hasattr(stream, "fileno") and Path(name).is_file() else None
