"""Writes files atomically: at every moment a file holds its old content or the new one, never a part of it."""

from __future__ import annotations

import os
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_BINARY = getattr(os, "O_BINARY", 0)


def write_atomically(
    path: str,
    data: bytes,
    *,
    like: os.stat_result | None = None,
    durable: bool = False,
    before_replacing: Callable[[], None] | None = None,
) -> None:
    """Write a new file beside `path`, then give it that name. A link of that name is replaced, not followed.

    With `like`, the file gets its permissions and, where the system allows it, its owner; else those of a new file.
    Set-user-id bits are dropped, as the system drops them at a write.
    `durable` lets both survive a power cut. What `before_replacing` raises leaves the old file in place.
    Raises OSError where the file cannot be written; then, and whatever else interrupts it, no new file is left.
    """
    temporary = _new_name(path)
    # Until it has the mode of `like`, nobody else may read it.
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o666 if like is None else 0o600)
    try:
        with open(descriptor, "wb") as stream:
            stream.write(data)
            if durable:
                stream.flush()
                os.fsync(stream.fileno())
        if like is not None:
            _keep_owner_and_mode(temporary, like)
        if before_replacing is not None:
            before_replacing()
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    if durable:
        _flush_directory(os.path.dirname(path))


def require_new_file_beside(path: str) -> None:
    """Raise OSError where no file can be made in the directory of `path`. Nothing is left there."""
    temporary = _new_name(path)
    os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600))
    os.unlink(temporary)


def _new_name(path: str) -> str:
    """A name that nobody can guess, and so nobody can have taken, in the same directory."""
    return os.path.join(os.path.dirname(path), f".trainlint-{os.urandom(8).hex()}")


def _keep_owner_and_mode(temporary: str, like: os.stat_result) -> None:
    if hasattr(os, "chown"):
        with suppress(OSError):
            os.chown(temporary, -1, like.st_gid)
        with suppress(OSError):
            os.chown(temporary, like.st_uid, -1)
    # After the owner: a change of owner may clear bits of the mode.
    os.chmod(temporary, like.st_mode & 0o777)


def _flush_directory(directory: str) -> None:
    """Make the new name last through a power cut, on systems where a directory can be opened for that."""
    with suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
