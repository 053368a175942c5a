"""Puts a fixed file on disk, whole or not at all."""

from __future__ import annotations

import os
import stat
from functools import partial
from typing import TYPE_CHECKING

from trainlint.atomic_write import write_atomically
from trainlint.bounded import UnfitFile, read_bounded

if TYPE_CHECKING:
    from pathlib import Path


class NotWritten(Exception):
    """The file was left as it is. The message is a sentence for people."""


class FileChanged(NotWritten):
    """The file no longer holds what was read, so a fix of what was read has no place in it."""


def replace_content(path: Path, before: bytes, after: bytes) -> None:
    """Replace the file's content `before` by `after`: at every moment the file holds the one or the other.

    Links are followed, mode and (where the system lets us) owner are kept; another hard link to the same file keeps
    the old content.
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
    status = os.stat(target)
    if not stat.S_ISREG(status.st_mode):
        raise NotWritten("is no regular file")
    if not os.access(target, os.W_OK):
        raise NotWritten("is write-protected")
    _require_unchanged(target, before)
    unchanged = partial(_require_unchanged, target, before)
    write_atomically(target, after, like=status, durable=True, before_replacing=unchanged)


def _require_unchanged(target: str, before: bytes) -> None:
    try:
        data = read_bounded(target, len(before))
    except UnfitFile as error:
        raise FileChanged from error
    if data != before:
        raise FileChanged
