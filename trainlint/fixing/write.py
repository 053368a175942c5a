"""Puts a fixed file on disk, whole or not at all."""

from __future__ import annotations

import contextlib
import os
import stat
from typing import TYPE_CHECKING

from trainlint.bounded import UnfitFile, read_bounded

if TYPE_CHECKING:
    from pathlib import Path


class NotWritten(Exception):
    """The file was left as it is. The message is a sentence for people."""


class FileChanged(NotWritten):
    """The file no longer holds what was read, so a fix of what was read has no place in it."""


def write_atomically(path: Path, before: bytes, after: bytes) -> None:
    """Replace the file's content `before` by `after`: at every moment the file holds the one or the other.

    The new content is written beside the file and then takes its name. Links are followed, mode and (where the
    system lets us) owner are kept; another hard link to the same file keeps the old content.
    Raises FileChanged if the file does not hold `before`, NotWritten if it cannot be replaced.
    """
    try:
        _replace(os.path.realpath(path), before, after)
    except OSError as error:
        raise NotWritten(f"{path} could not be written ({error.strerror or error}); it was left as it was") from error
    except FileChanged as error:
        raise FileChanged(f"{path} changed while it was being fixed; it was left alone, run trainlint again") from error
    except NotWritten as error:
        raise NotWritten(f"{path} {error}; it was left as it was") from error


def _replace(target: str, before: bytes, after: bytes) -> None:
    import tempfile

    status = os.stat(target)
    if not stat.S_ISREG(status.st_mode):
        raise NotWritten("is no regular file")
    if not os.access(target, os.W_OK):
        raise NotWritten("is write-protected")
    _require_unchanged(target, before)
    descriptor, temporary = tempfile.mkstemp(prefix=".trainlint-", dir=os.path.dirname(target))
    try:
        with open(descriptor, "wb") as stream:
            stream.write(after)
            stream.flush()
            os.fsync(stream.fileno())
        _keep_owner_and_mode(temporary, status)
        _require_unchanged(target, before)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _flush_directory(os.path.dirname(target))


def _require_unchanged(target: str, before: bytes) -> None:
    try:
        data = read_bounded(target, len(before))
    except UnfitFile as error:
        raise FileChanged from error
    if data != before:
        raise FileChanged


def _keep_owner_and_mode(temporary: str, status: os.stat_result) -> None:
    if hasattr(os, "chown"):
        with contextlib.suppress(OSError):
            os.chown(temporary, -1, status.st_gid)
        with contextlib.suppress(OSError):
            os.chown(temporary, status.st_uid, -1)
    # After the owner: a change of owner may clear bits of the mode.
    os.chmod(temporary, stat.S_IMODE(status.st_mode))


def _flush_directory(directory: str) -> None:
    """Make the new name last through a power cut, on systems where a directory can be opened for that."""
    with contextlib.suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
