"""What a process knows of files that it has summarised, kept until it judges them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from trainlint.model.file_model import FileModel, Remains

MOST_KEPT = 16_000_000
"""Bytes of source whose models are kept in one process. A model takes about thirty-five times as much memory: its tree
twenty-four times, its index four times, what has been asked of it the rest."""


class Shelf:
    """Holds models within a bound. A file whose model does not fit is parsed again when it is judged."""

    def __init__(self, bound: int = MOST_KEPT) -> None:
        """`bound` is in bytes of source."""
        self._free = bound
        self._models: dict[Path, tuple[FileModel, int]] = {}
        self._remains: dict[Path, Remains] = {}

    def put(self, path: Path, model: FileModel, size: int) -> None:
        """Keep a model that nobody was told anything of yet, or what remains of it. `size` is that of its source."""
        if size > self._free:
            self._remains[path] = model.remains
            model.let_go()
        else:
            self._free -= size
            self._models[path] = (model, size)

    def take(self, path: Path) -> FileModel | None:
        """Hand a model out. Whoever takes it lets it go."""
        if path not in self._models:
            return None
        model, size = self._models.pop(path)
        self._free += size
        return model

    def remains(self, path: Path) -> Remains | None:
        """Hand out what is left of a model that did not fit."""
        return self._remains.pop(path, None)
