"""Whose line makes a call: the nearest frame of the user's own code, found by walking up the stack."""

from __future__ import annotations

import csv
import json
import os
import sys
import sysconfig
from collections.abc import Callable
from functools import cached_property
from pathlib import Path, PurePosixPath
from types import FrameType

from trainlint.bounded import read_bounded

_OWN = str(Path(__file__).parents[1]) + os.sep
_INSTALLED = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
_STANDARD = tuple(
    os.path.realpath(path) + os.sep for name, path in sysconfig.get_paths().items() if name in ("stdlib", "platstdlib")
)
# Files of torch that make a call in the user's name: `f"{t}"` reads the value in Tensor.__format__.
_SPEAKS_FOR_THE_USER = (
    "_tensor.py",
    "_tensor_str.py",
    "functional.py",
    "autograd/__init__.py",
    "autograd/anomaly_mode.py",
    "autograd/profiler.py",
    "distributed/c10d_logger.py",
    "optim/lr_scheduler.py",
    "optim/optimizer.py",
    "profiler/profiler.py",
    "amp/grad_scaler.py",
    "serialization.py",
    "utils/_contextlib.py",
)
frame_at = sys._getframe  # noqa: SLF001 - the way to the stack that costs 0.1 µs; inspect's costs a hundred times as much
_USER, _TRANSPARENT, _LIBRARY = 0, 1, 2


Caller = tuple[str, int, str]
"""A file as Python names it, a line, and the library's line that makes the call in its stead ("" where none does)."""


class _Kinds(dict[str, int]):
    """Whose each file is, found out once."""

    def __init__(self, judge: Callable[[str], int]) -> None:
        super().__init__()
        self.judge = judge

    def __missing__(self, filename: str) -> int:
        kind = self[filename] = self.judge(filename)
        return kind


class Lines:
    """Tells user's code from libraries."""

    def __init__(self, script_directory: str) -> None:
        """`script_directory` is the user's own even where it lies among installed packages (`-m package.train`)."""
        self.script_directory = os.path.realpath(script_directory)
        self._root = self.script_directory + os.sep
        self._kinds = _Kinds(self._judge)
        self._shown: dict[tuple[str, int], str] = {}
        """Lines of libraries, as they are shown."""

    @cached_property
    def _own_projects(self) -> tuple[str, ...]:
        """Where the user's own packages lie among installed ones, as after `pip install .` in CI."""
        return tuple(
            place
            for entry in sys.path
            for told in Path(entry).glob("*.dist-info/direct_url.json")
            if _is_local(told)
            for place in _places_of(told.parent)
        )

    def is_users(self, filename: str) -> bool:
        """Whether a file holds the user's code."""
        return self._kinds[filename] == _USER

    def caller(self, frame: FrameType | None) -> Caller | None:
        """The user's line that a frame runs or was called from; None where no user's code is on the stack."""
        via = ""
        while frame is not None:
            filename = frame.f_code.co_filename
            kind = self._kinds[filename]
            if kind == _USER:
                return filename, frame.f_lineno, via
            if kind == _LIBRARY and not via:
                via = self.of_library(frame)
            frame = frame.f_back
        return None

    def of_library(self, frame: FrameType) -> str:
        """The line that a frame of a library runs, as it is shown; empty for frames of others."""
        place = frame.f_code.co_filename, frame.f_lineno
        if self._kinds[place[0]] != _LIBRARY:
            return ""
        return self._shown.get(place) or self._shown.setdefault(place, f"{_short(place[0])}:{place[1]}")

    def _judge(self, filename: str) -> int:
        if filename.startswith("<"):
            return _TRANSPARENT  # code that was made at run time, as methods of dataclasses are
        path = os.path.realpath(filename)
        if path.startswith(_OWN):
            return _TRANSPARENT
        if (
            f"{os.sep}torch{os.sep}" in path
            and path.replace(os.sep, "/").rpartition("/torch/")[2] in _SPEAKS_FOR_THE_USER
        ):
            return _TRANSPARENT
        if path.startswith(self._root) and not any(folder in path[len(self._root) - 1 :] for folder in _INSTALLED):
            return _USER
        if any(folder in path for folder in _INSTALLED):
            return _USER if path.startswith(self._own_projects) else _LIBRARY
        if path.startswith(_STANDARD):
            return _LIBRARY
        return _LIBRARY if any(path.startswith(entry) for entry in _installations()) else _USER


def maker_of(made: object, frame: FrameType) -> FrameType | None:
    """The frame that makes an object, past the `__init__` methods of its subclasses."""
    outer: FrameType | None = frame
    while outer is not None and outer.f_code.co_name == "__init__":
        names = outer.f_code.co_varnames[:1]
        if not names or outer.f_locals.get(names[0]) is not made:
            break
        outer = outer.f_back
    return outer


def _installations() -> list[str]:
    """Directories on Python's path that packages were installed to: those of `pip install --target` have any name."""
    entries = [os.path.realpath(entry) for entry in sys.path if entry]
    return [entry + os.sep for entry in entries if next(Path(entry).glob("*.dist-info"), None) is not None]


_METADATA_BYTES = 4_000_000
_FOREIGN = "torch"
"""PyTorch is nobody's own project, although its wheel may be installed from a directory."""


def _is_local(told: Path) -> bool:
    """Whether a distribution was installed from a directory or a file, and not by its name (PEP 610)."""
    try:
        url = json.loads(read_bounded(told, _METADATA_BYTES)).get("url", "")
    except (OSError, ValueError, AttributeError):
        return False
    return str(url).startswith("file:")


def _places_of(metadata: Path) -> set[str]:
    """The packages and modules of an installed distribution, as the beginnings of their files' paths."""
    try:
        record = read_bounded(metadata / "RECORD", _METADATA_BYTES).decode(errors="replace")
    except OSError:
        return set()
    files = (PurePosixPath(row[0]) for row in csv.reader(record.splitlines()) if row)
    tops = {file.parts[0] + (os.sep if file.parts[1:] else "") for file in files if file.suffix == ".py"}
    site = os.path.realpath(metadata.parent) + os.sep
    return {site + top for top in tops if top not in ("..", f"..{os.sep}", f"{_FOREIGN}{os.sep}")}


def _short(filename: str) -> str:
    """A library's file without the directory that it is installed in."""
    for folder in (*_INSTALLED, *_STANDARD):
        if folder in filename:
            return filename.rpartition(folder)[2].replace(os.sep, "/")
    return filename


def display_path(path: str, directory: str) -> str:
    """A path as findings show it: relative to a directory where it lies below, with forward slashes."""
    real, above = os.path.realpath(path), os.path.realpath(directory) + os.sep
    return (real.removeprefix(above) if real.startswith(above) else path).replace(os.sep, "/")
