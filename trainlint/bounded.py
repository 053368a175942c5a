"""Reads files that anybody may have written: ordinary files only, no more of them than a bound, no waiting."""

from __future__ import annotations

import errno
import os
import stat

from trainlint.project import lies_in, project_around, projects_around

TYPE_CHECKING = False
if TYPE_CHECKING:
    from io import BufferedReader
    from pathlib import Path
    from typing import Any

# The most bytes that are read of one file, by what it is.
SOURCE_BYTES = 5_000_000
"""Python. What people write is far smaller; a larger file is data, and judging it could take minutes."""
NOTEBOOK_BYTES = 50_000_000
"""A notebook with its outputs, which are read and dropped. Its code is bounded as that of a Python file is."""
SETTINGS_BYTES = 100_000
"""Settings of training in JSON and YAML. People write them by hand; a larger file holds data."""
SHIPPED_BYTES = 200_000
"""A configuration of an experiment, a launch script, a page of Markdown. A larger one holds data, or prose."""
CONFIGURATION_BYTES = 1_000_000
"""pyproject.toml and trainlint.toml. The largest in use have some 100 kB; parsing 1 MB takes about a second."""
REQUIREMENTS_BYTES = 1_000_000
"""What may state a version of torch, as requirements do. Those with hashes for 500 packages have 1 MB."""
IGNORE_FILE_BYTES = 200_000
"""An ignore file, or git's configuration. GitHub's longest template for an ignore file has 8,000."""
EVIDENCE_BYTES = 20_000_000
"""What `trainlint probe` wrote. It grows with the steps that were measured, to some megabytes at most."""
TRACE_BYTES = 4_000_000_000
"""A trace of torch.profiler, unpacked. Ten steps with stacks have some hundred megabytes, at times 1 GB. Little of it
is in memory at a time (`trainlint_probe/traces/event_stream.py`)."""
BASELINE_BYTES = 20_000_000
"""A baseline. A finding takes about 150 bytes, so this holds more than 100,000 findings."""


class UnfitFile(OSError):
    """A file that exists and is not read: no ordinary file, or too large. `strerror` says which."""


def read_bounded(path: str | Path, most_bytes: int) -> bytes:
    """The bytes of an ordinary file of at most `most_bytes`.

    A pipe is not waited for, and a device such as /dev/zero is not read, whatever links lead there.
    Raises UnfitFile for these and for larger files, OSError where the file cannot be opened or read.
    """
    data = read_beginning(path, most_bytes + 1)
    if len(data) > most_bytes:
        raise UnfitFile(errno.EFBIG, f"it is larger than {most_bytes:,} bytes", str(path))
    return data


def read_beginning(path: str | Path, most_bytes: int) -> bytes:
    """The first bytes of an ordinary file, at most `most_bytes`. Raises as `read_bounded` does, but for large files."""
    with open_ordinary(path) as file:
        size = os.fstat(file.fileno()).st_size
        # As much memory is taken as is asked for, so that is little more than the file is said to have.
        data = file.read(min(most_bytes, size + 1))
        return data if len(data) <= size else data + file.read(most_bytes - len(data))


def open_ordinary(path: str | Path) -> BufferedReader:
    """An ordinary file, open for reading. Whoever reads it bounds what is read. Raises as `read_beginning` does."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    descriptor = os.open(path, flags)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise UnfitFile(errno.EINVAL, "it is no ordinary file", str(path))
        return open(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def reason_of(error: OSError) -> str:
    """Why a file could not be used, as part of a sentence."""
    return (error.strerror or str(error)).lower()


def leads_out(path: str | Path, root: str | Path) -> bool:
    """Whether a path, with all links followed, lies outside a directory."""
    return not lies_in(os.path.realpath(path), os.path.realpath(root))


def leaves_project(path: str | Path) -> bool:
    """Whether an absolute path leads, by a link or by `..`, out of the project of the directory that it is found in."""
    directory = os.path.dirname(path)
    return leads_out(path, project_around(directory) or directory)


def write_leaves_project(path: str | Path) -> bool:
    """Whether a link, of the file or of a directory on the way, leads out of what the user asked to change.

    That is each project around the absolute path, as its names go; the working directory where no project is around
    that; and for a file in none of these, its own directory. This is stricter than `leaves_project`, because a file
    that is changed must lie in the inner and the outer project.
    """
    place, here = str(path), os.getcwd()
    directory = os.path.dirname(place)
    around = projects_around(directory)
    if lies_in(place, here) and not any(lies_in(here, project) for project in around):
        around.append(here)
    return any(leads_out(place, project) for project in around or [directory])


MOST_VALUES = 1_000_000
"""As many values may one document have. An empty object takes three bytes of text and sixty-four of memory, so a bound
on bytes alone does not bound memory. What `trainlint probe` and `trainlint baseline` write has 20 bytes or more for
each value: a million values have the 20 MB that are read of such a file."""


class TooManyValues(ValueError):
    """A document has more values than are read. The message says so, as part of a sentence."""


def check_values(text: str | bytes, most: int = MOST_VALUES) -> None:
    """Raise TooManyValues where a text of JSON may hold more than `most` values, before any of them is made.

    Each value follows a comma or the beginning of a list or an object. Those within strings count as well.
    """
    found = sum(map(text.count, ",[{")) if isinstance(text, str) else sum(map(text.count, (b",", b"[", b"{")))
    if found > most:
        raise TooManyValues(f"it may hold more than {most:,} values, the most that trainlint reads of such a file")


def load_bounded(data: bytes) -> Any:
    """The value of a document in UTF-8.

    Raises TooManyValues, ValueError for what is no JSON, and RecursionError where it is nested too deeply.
    """
    import json

    check_values(data)
    return json.loads(data.decode("utf-8"))
