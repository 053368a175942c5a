"""Where files lie, as other tools want to be told."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote

from trainlint.report.settings import Settings


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
