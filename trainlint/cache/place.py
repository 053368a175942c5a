"""The directory of a cache: made, recognised, and deleted only where it is trainlint's own."""

from __future__ import annotations

import os
from pathlib import Path

NAME = ".trainlint_cache"
"""What the directory is called in a project."""
FILE = "results.sqlite"

_TAG = "CACHEDIR.TAG"
_IGNORING = ".gitignore"
_SIGNATURE = "Signature: 8a477f597d28d172789f06886806bc55"
"""By which programs that make backups know a cache (https://bford.info/cachedir/)."""
_OWN = f"{_SIGNATURE}\n# This directory is a cache of trainlint. `trainlint clean` deletes it.\n"
_IGNORED = "# Written by trainlint: a cache belongs into no repository.\n*\n"
_OURS = (FILE, f"{FILE}-journal", _IGNORING, _TAG)
"""All that a cache consists of; SQLite leaves a journal beside its file where a process is killed."""


class Unusable(Exception):
    """A directory cannot be the cache. The message is a sentence for people."""


def usable(directory: Path) -> Path:
    """The file of a cache's results in a directory that need not be there yet. Raises Unusable.

    A directory of another name that holds anything else than a cache of trainlint is left alone, and so is one that a
    link leads to: a repository may bring links. What another user owns is not believed, for that user decides what
    stands in it.
    """
    file = directory / FILE
    try:
        if not directory.exists():
            return file
        by_name = directory.name == NAME and not directory.is_symlink()
        if not (by_name or is_own(directory) or _is_empty(directory)):
            raise Unusable(f"{directory} holds other files than a cache of trainlint; name another directory")
        for path in (directory, file):
            if not _is_ours(path):
                raise Unusable(f"{path} belongs to another user, so what it says is not believed; delete it")
        if file.is_symlink():
            raise Unusable(f"{file} is a link, which trainlint did not make; delete it")
    except OSError as error:
        raise Unusable(_why(directory, error)) from error
    return file


def prepare(directory: Path) -> None:
    """Make the directory of a cache, if it is not there. Raises Unusable."""
    usable(directory)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for name, text in ((_TAG, _OWN), (_IGNORING, _IGNORED)):
            if not os.path.lexists(directory / name):
                (directory / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise Unusable(_why(directory, error)) from error


def _why(directory: Path, error: OSError) -> str:
    return f"{directory} cannot be used ({(error.strerror or str(error)).lower()})"


def is_own(directory: Path) -> bool:
    """Whether a directory is a cache of trainlint."""
    try:
        return (directory / _TAG).read_text(encoding="utf-8") == _OWN
    except (OSError, UnicodeDecodeError):
        return False


def size_of(directory: Path) -> int:
    """How large a cache is, in bytes."""
    return sum(path.stat().st_size for path in map(directory.joinpath, _OURS) if path.is_file())


def remove(directory: Path) -> None:
    """Delete a cache: the files that trainlint wrote, and then the directory.

    Raises OSError where that cannot be done, as where something else stands in it.
    """
    for name in _OURS:
        (directory / name).unlink(missing_ok=True)
    directory.rmdir()


def _is_empty(directory: Path) -> bool:
    with os.scandir(directory) as entries:
        return next(entries, None) is None


def _is_ours(path: Path) -> bool:
    """Whether a file is missing, or belongs to the user that runs this process."""
    if not hasattr(os, "geteuid"):  # Windows: what is in a user's own folders is that user's
        return True
    try:
        return path.stat().st_uid == os.geteuid()
    except FileNotFoundError:
        return True
