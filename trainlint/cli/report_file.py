"""The file that `--output-file` names: looked at before anything is judged or fixed, and written at the end."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from pathlib import Path

from trainlint.atomic_write import require_new_file_beside, write_atomically
from trainlint.bounded import write_leaves_project
from trainlint.cli import console
from trainlint.cli.console import UsageError
from trainlint.engine.discover import Target
from trainlint.paths import absolute
from trainlint.project import projects_around


def require_writable(path: Path, judged: Iterable[Target]) -> None:
    """Raise UsageError where the report cannot be written there, or would destroy what is judged.

    A link in a project is refused: whoever wrote the project decides where it leads. Nothing is changed.
    """
    place = absolute(path)
    if _is_in_project(place) and (place.is_symlink() or write_leaves_project(place)):
        raise UsageError(f"{path} is a link or lies behind one, so the report is not written there; name its own place")
    if not place.parent.is_dir():
        raise UsageError(f"the report cannot be written to {path}: there is no directory {path.parent}; make it first")
    if place.is_dir():
        raise UsageError(f"the report cannot be written to {path} (it is a directory)")
    if place.exists():
        if any(_is_same(place, target.path) for target in judged):
            raise UsageError(f"the report would be written over {path}, which is judged; name another file")
        if not os.access(place, os.W_OK):
            raise _not_written(path, PermissionError(errno.EACCES, os.strerror(errno.EACCES)))
    if not place.exists() or _is_replaceable(place):
        try:
            require_new_file_beside(str(place))
        except OSError as error:
            if not place.exists():  # a file may be open to all in a directory that is not
                raise _not_written(path, error) from error


def print_report(text: str, path: Path | None) -> None:
    """Write the report to the file that the user has named, else to stdout. Raises UsageError."""
    if path is None:
        console.out(text)
    else:
        write_report(path, text)


def write_report(path: Path, text: str) -> None:
    """Write the report: at every moment the file holds the old text or the new one. Raises UsageError.

    A device or a pipe is written to as it is, and so is a file in a directory that is closed. A pipe that no program
    reads is an error and is not waited for: it may have come with the project.
    """
    place = absolute(path)
    data = text.encode("utf-8", "backslashreplace")
    try:
        if place.exists() and not _is_replaceable(place):
            _write_in_place(place, data)
            return
        try:
            write_atomically(str(place), data, like=place.stat() if place.exists() else None)
        except PermissionError:  # no new file may be made there, but this one may be written
            _write_in_place(place, data)
    except OSError as error:
        raise _not_written(path, error) from error


def _write_in_place(place: Path, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_TRUNC | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(place, flags)  # opening a pipe that nobody reads would wait without O_NONBLOCK
    with open(descriptor, "wb") as stream:
        if hasattr(os, "O_NONBLOCK"):
            os.set_blocking(descriptor, True)
        stream.write(data)


def _is_replaceable(place: Path) -> bool:
    """Whether it is an ordinary file by its own name: what a link leads to keeps its name, as does /dev/stdout."""
    return place.is_file() and not place.is_symlink()


def _is_in_project(place: Path) -> bool:
    return bool(projects_around(str(place.parent))) or place.is_relative_to(Path.cwd())


def _is_same(one: Path, other: Path) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False


def _not_written(path: Path, error: OSError) -> UsageError:
    return UsageError(f"the report cannot be written to {path} ({error.strerror or error})")
