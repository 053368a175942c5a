"""What changed in a repository since a revision: committed, staged, not staged, and files that git does not know."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from trainlint.bounded import SOURCE_BYTES, read_bounded
from trainlint.history.changed_lines import changed_lines, likeness
from trainlint.history.git import Blob, Git
from trainlint.project import lies_in
from trainlint.source import SourceFile, UnreadableSource, decode_source

_LIKE_ENOUGH = 0.5
"""A new file that has this share of its lines in common with one that is gone is that file under a new name."""
_MOST_COMPARED = 200
"""So many files that are gone are compared with each new one."""


class LinePlace(NamedTuple):
    """A line as findings name it."""

    line: int
    """Counted from 1, in its cell where it stands in a notebook."""
    cell: int | None = None


class Changes:
    """The lines that differ from the merge base, of files that are asked for."""

    def __init__(self, root: str, revision: str) -> None:
        """Ask git about a repository by its root. Raises GitFailed."""
        self._root = root
        self._git = Git(root)
        self._base = self._git.merge_base(revision)
        self._gone: list[Blob] | None = None

    def of_submodule(self, root: str) -> Changes | NewSubmodule | None:
        """What changed in a submodule of this repository, by its root; None where it is none. Raises GitFailed."""
        path = os.path.relpath(root, self._root).replace(os.sep, "/")
        if base := self._git.submodule_at(self._base, path):
            return Changes(root, base)
        return NewSubmodule() if self._git.submodule_at("HEAD", path) else None

    def of(self, paths: Iterable[str], contents: Mapping[str, bytes]) -> dict[str, frozenset[LinePlace] | None]:
        """For each absolute path in the repository the lines that are not as at the merge base; None for all.

        Of a notebook only the code is compared: outputs and prose may change as they like.

        `contents` has the bytes of what is not read from the disk, by absolute path. Raises GitFailed.
        """
        below = {path: os.path.relpath(path, self._root).replace(os.sep, "/") for path in paths if self._holds(path)}
        blobs = {blob.path: blob.name for blob in self._git.files_at(self._base, sorted(set(below.values())))}
        texts = self._git.contents(sorted(set(blobs.values())))
        found: dict[str, frozenset[LinePlace] | None] = {}
        for path, name in below.items():
            now = _source(path, _bytes(path, contents))
            after = _lines(now)
            then = _lines(_source(path, texts.get(blobs[name]))) if name in blobs else self._renamed_from(path, after)
            if now is None or after is None or then is None:
                found[path] = None
            else:
                found[path] = frozenset(_place(now, line) for line in changed_lines(then, after))
        return found

    def _holds(self, path: str) -> bool:
        return path != self._root and lies_in(path, self._root)

    def _renamed_from(self, path: str, after: list[str] | None) -> list[str] | None:
        """The lines at the merge base of the file that has another name now; None where the file is new."""
        suffix = os.path.splitext(path)[1]
        gone = [blob for blob in self._files_that_are_gone() if blob.path.endswith(suffix)]
        # Of many, those with the same name are the likeliest.
        gone.sort(key=lambda blob: (os.path.basename(blob.path) != os.path.basename(path), blob.path))
        texts = self._git.contents([blob.name for blob in gone[:_MOST_COMPARED]])
        candidates = [lines for data in texts.values() if (lines := _lines(_source(path, data))) is not None]
        best = max(candidates, key=lambda lines: likeness(lines, after or []), default=None)
        return best if best is not None and likeness(best, after or []) >= _LIKE_ENOUGH else None

    def _files_that_are_gone(self) -> list[Blob]:
        if self._gone is None:
            files = self._git.files(self._base)
            self._gone = [blob for blob in files if not os.path.lexists(os.path.join(self._root, blob.path))]
        return self._gone


class NewSubmodule:
    """A submodule that was not there at the merge base."""

    def of(self, paths: Iterable[str], contents: Mapping[str, bytes]) -> dict[str, None]:
        """As of `Changes`: all lines are new."""
        return dict.fromkeys(paths)


def _bytes(path: str, contents: Mapping[str, bytes]) -> bytes | None:
    if path in contents:
        return contents[path]
    try:
        return read_bounded(path, SOURCE_BYTES)
    except OSError:
        return None


def _source(path: str, data: bytes | None) -> SourceFile | None:
    """A file as it is judged, with the joined cells of a notebook; None where it is no text."""
    if data is None:
        return None
    try:
        return decode_source(path, data)
    except UnreadableSource:
        return None


def _lines(source: SourceFile | None) -> list[str] | None:
    """The lines of a file, numbered as they are judged."""
    if source is None:
        return None
    return [source.line(number) for number in range(1, len(source.line_starts) + 1)]


def _place(source: SourceFile, line: int) -> LinePlace:
    if source.cells is None:
        return LinePlace(line)
    cell, inside = source.cells.at_line(line)
    return LinePlace(inside, cell)
