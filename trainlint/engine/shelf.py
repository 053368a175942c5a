"""The models of files that a process has summarised, kept until it judges them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from trainlint.model.site import FileModel

MOST_KEPT = 4_000_000
"""Bytes of source whose models are kept in one process. A model takes about forty times as much memory."""


class Shelf:
    """Holds models within a bound: a file that no longer fits is parsed again when it is judged."""

    def __init__(self, bound: int = MOST_KEPT) -> None:
        """`bound` is in bytes of source."""
        self._free = bound
        self._models: dict[Path, tuple[FileModel, int]] = {}

    def put(self, path: Path, model: FileModel, size: int) -> bool:
        """Keep a model that nobody was told anything of yet, if there is room. `size` is that of its source."""
        if size > self._free:
            return False
        self._free -= size
        self._models[path] = (model, size)
        return True

    def take(self, path: Path) -> FileModel | None:
        """Hand a model out. Whoever takes it lets it go."""
        if path not in self._models:
            return None
        model, size = self._models.pop(path)
        self._free += size
        return model
