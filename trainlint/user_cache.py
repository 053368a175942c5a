"""Where trainlint's caches lie, and whether only this user can have written what is there.

Nobody has reviewed the files that are judged, and whoever wrote them may have put a cache among them. So no cache is
used that lies in a judged tree, or that another user can write to.
"""

from __future__ import annotations

import os
import stat

from trainlint.bounded import reason_of

VARIABLE = "TRAINLINT_CACHE_DIR"
"""The environment variable that names the directory of trainlint's caches."""
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


class Unusable(Exception):
    """A directory cannot hold a cache. The message is a sentence for people."""


def directory_of_caches(named: str | None = None) -> str:
    """The directory of all of trainlint's caches, with links resolved. It need not exist.

    It is the one that is `named`, else that of TRAINLINT_CACHE_DIR, else the user's cache directory. Raises Unusable
    where there is no home directory.
    """
    chosen = named or os.environ.get(VARIABLE)
    if not chosen:
        from platformdirs import user_cache_dir  # takes 5 ms to import

        chosen = user_cache_dir("trainlint", appauthor=False)
        if not os.path.isabs(chosen):
            raise Unusable("no home directory is known, so there is no place for a cache")
    return os.path.realpath(chosen)


def make_private(directory: str) -> None:
    """Make a directory that only this user may enter, and those above it that are missing.

    Raises Unusable where that fails, or where there is one that others can write to.
    """
    try:
        _make_private_directory(directory)
    except OSError as error:
        raise Unusable(_why(directory, error)) from error
    is_private(directory)


def is_private(path: str) -> bool:
    """Whether a directory, or a file in a private one, exists that only this user can have written.

    Raises Unusable for everything else: a link, a device, what belongs to another user, what others can write to.
    """
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise Unusable(_why(path, error)) from error
    if stat.S_ISLNK(status.st_mode):
        raise Unusable(f"{path} is a link, which trainlint did not make; delete it")
    if not (stat.S_ISDIR(status.st_mode) or stat.S_ISREG(status.st_mode)):
        raise Unusable(f"{path} is neither a directory nor an ordinary file; delete it")
    if hasattr(os, "geteuid"):  # on Windows, what is in a user's own folders is that user's
        if status.st_uid != os.geteuid():
            raise Unusable(f"{path} belongs to another user, so what it says is not believed; name another directory")
        # Nobody else reaches a file in a private directory, whatever its own mode is.
        if stat.S_ISDIR(status.st_mode) and status.st_mode & _WRITABLE_BY_OTHERS:
            raise Unusable(f"{path} can be written by other users, so what it says is not believed; delete it")
    return True


def _make_private_directory(directory: str) -> None:
    parent = os.path.dirname(directory)
    if not os.path.isdir(parent) and parent != directory:
        _make_private_directory(parent)
    try:
        os.mkdir(directory, 0o700)
    except FileExistsError:
        if not os.path.isdir(directory):
            raise


def _why(path: str, error: OSError) -> str:
    return f"{path} cannot be used ({reason_of(error)})"
