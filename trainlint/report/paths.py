"""Where files lie, as other tools want to be told."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote

from trainlint.finding import Span
from trainlint.report.settings import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.source import SourceFile


def span_in_file(span: Span, cell: int | None, source: SourceFile | None) -> Span:
    """A span where it stands in its file: that of a notebook's cell among the lines of the JSON.

    `source` is the text of the file, or None where that is no longer at hand.
    """
    if cell is None or source is None or source.cells is None:
        return span
    start = source.cells.place_in_file(cell, span.start_line, span.start_column)
    return Span(*start, *max(start, source.cells.place_in_file(cell, span.end_line, span.end_column)))


def below_repository(path: str, settings: Settings) -> str:
    """The path relative to the repository, with forward slashes; absolute where it lies outside."""
    # Links are not followed: the path stays the one that the user and the repository know.
    absolute = Path(os.path.normpath(Path(settings.directory) / path))
    root = Path(os.path.normpath(settings.repository or settings.directory))
    return (absolute.relative_to(root) if absolute.is_relative_to(root) else absolute).as_posix()


def local_uri(path: str, settings: Settings) -> str:
    """The `file:` URI of a file, by the path that a finding carries."""
    return Path(os.path.normpath(Path(settings.directory) / path)).as_uri()


def folder_uri(folder: str) -> str:
    """The `file:` URI of a folder, which ends with a slash."""
    return Path(folder).absolute().as_uri().rstrip("/") + "/"


def file_uri(path: str) -> str:
    """The URI of a path as `below_repository` gives it: relative, or `file:` where that is absolute."""
    # Surrogates stand for bytes of a file name that are no UTF-8: they are quoted as those bytes.
    return Path(path).as_uri() if Path(path).is_absolute() else quote(os.fsencode(path))
