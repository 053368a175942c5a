"""Models of files that a process has summarised, kept until the same process judges these files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ast
    from pathlib import Path

    from trainlint.analysis.semantic_model import EarlierFacts, SemanticModel
    from trainlint.source import SourceFile

MOST_KEPT = 16_000_000
"""Bytes of source whose models all processes of a run keep together. A model takes about thirty-five times as much
memory: its tree twenty-four times, its index four times, what has been asked of it the rest."""
KEPT_IN_FULL = 32_000_000
"""Bytes of source of a whole run. The models of a larger run do not fit anyhow, and its summaries need the memory."""


def bound_for(total: int) -> int:
    """Bytes of source whose models a run keeps. `total` is the size of the run: the larger, the fewer it keeps."""
    return MOST_KEPT * KEPT_IN_FULL // max(total, KEPT_IN_FULL)


@dataclass(frozen=True, slots=True)
class _Packed:
    """A summary as bytes, with the hash of the text that it was made of."""

    text: int
    summary: bytes


class ModelStore:
    """Holds models within a bound. A file whose model does not fit is parsed again when it is judged.

    Of such a file only the summary is kept, as bytes: they take a twentieth of the memory that its objects take.
    """

    def __init__(self, bound: int) -> None:
        """`bound` is in bytes of source."""
        self._free = bound
        self._models: dict[Path, tuple[SemanticModel, int]] = {}
        self._packed: dict[Path, _Packed] = {}

    def has_room(self, size: int) -> bool:
        """Whether the model of a source of so many bytes fits."""
        return size <= self._free

    def put(self, path: Path, model: SemanticModel, size: int) -> None:
        """Keep a model that has no facts of other files yet. `size` is that of its source."""
        self._free -= size
        self._models[path] = (model, size)

    def put_packed(self, path: Path, text: str, summary: bytes) -> None:
        """Keep the packed summary of a file whose model does not fit. `text` is what it was made of."""
        self._packed[path] = _Packed(hash(text), summary)

    def take(self, path: Path) -> SemanticModel | None:
        """Take a model out of the store. The caller releases it."""
        if path not in self._models:
            return None
        model, size = self._models.pop(path)
        self._free += size
        return model

    @property
    def trees(self) -> dict[SourceFile, ast.Module]:
        """The trees of the models that are kept, by their texts."""
        return {model.source: model.tree for model, _ in self._models.values() if "tree" in vars(model)}

    def remains(self, path: Path) -> EarlierFacts | None:
        """Take out what the packed summary says of a file whose model did not fit."""
        packed = self._packed.pop(path, None)
        if packed is None:
            return None
        from trainlint.analysis.semantic_model import EarlierFacts
        from trainlint.cache.values import unpack

        summary = unpack(packed.summary)
        return EarlierFacts(packed.text, {"uses": summary.uses})
