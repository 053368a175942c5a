"""The directory of one project's cache: made, recognised, and deleted only where it is trainlint's own."""

from __future__ import annotations

import os
import re
from pathlib import Path

from trainlint.bounded import reason_of
from trainlint.cache.keys import digest
from trainlint.user_cache import Unusable, is_private, make_private

FILE = "results.sqlite"

_TAG = "CACHEDIR.TAG"
_SIGNATURE = "Signature: 8a477f597d28d172789f06886806bc55"
"""By which programs that make backups know a cache (https://bford.info/cachedir/)."""
_OWN = f"{_SIGNATURE}\n# This directory is a cache of trainlint. `trainlint clean` deletes it.\n"
_OURS = (FILE, f"{FILE}-journal", _TAG)
"""All that a cache consists of; SQLite leaves a journal beside its file where a process is killed."""


def directory_for(project: Path, caches: str) -> Path:
    """The directory of a project's cache, below the directory of all caches.

    It is called as the project is, for people, and by a digest of the project's path, with links resolved.
    """
    real = os.path.realpath(project)
    name = re.sub(r"[^A-Za-z0-9._-]", "_", Path(real).name)[:40] or "root"
    return Path(caches, f"{name}-{digest(os.fsencode(real)).hex()[:32]}")


def usable(directory: Path) -> Path:
    """The file of results in a cache's directory, neither of which need exist. Raises Unusable.

    The directory of all caches, this one and the files in it must be such that only this user can have written them.
    """
    file = directory / FILE
    if is_private(str(directory.parent)) and is_private(str(directory)):
        for name in _OURS:
            is_private(str(directory / name))
    return file


def prepare(directory: Path) -> None:
    """Make the directory of a cache, if it does not exist. Raises Unusable."""
    make_private(str(directory.parent))
    make_private(str(directory))
    usable(directory)
    try:
        if not is_own(directory):
            (directory / _TAG).write_text(_OWN, encoding="utf-8")
    except OSError as error:
        raise Unusable(f"{directory} cannot be written ({reason_of(error)})") from error


def is_own(directory: Path) -> bool:
    """Whether a directory is a cache of trainlint."""
    try:
        return is_private(str(directory)) and (directory / _TAG).read_text(encoding="utf-8") == _OWN
    except (OSError, UnicodeDecodeError, Unusable):
        return False


def own_caches(caches: str) -> list[Path]:
    """The caches of all projects below a directory of caches."""
    try:
        return sorted(path for path in Path(caches).iterdir() if is_own(path))
    except OSError:
        return []


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
