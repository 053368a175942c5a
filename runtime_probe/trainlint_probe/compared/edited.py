"""Edited sources take the place of the user's files inside one process, and the files themselves stay as they are.

A copy of the project would move `__file__`, and with it data, settings and modules that scripts look for next to
themselves. Here every module keeps its file's name, and only the text that Python compiles is another. It holds for
imports, for a script that is run, and for worker processes, be they forked or spawned.
"""

from __future__ import annotations

import _io
import importlib.util
import io
import linecache
import multiprocessing.spawn
import os
import sys
from collections.abc import Callable, Mapping, Sequence, Set
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

Sources = Mapping[str, bytes]
"""What is to stand in each file, by its real path."""

_installed: list[set[str]] = []
"""What was opened, once there is anything in the place of files in this process."""


def write(sources: Sources, directory: Path) -> dict[str, str]:
    """Write texts to files of `directory` for another process: the path of each file → that of its text."""
    texts = {}
    for number, (path, text) in enumerate(sources.items()):
        texts[path] = str(directory / f"edited{number}.py")
        Path(texts[path]).write_bytes(text)
    return texts


def install_ordered(texts: Mapping[str, str], moved: Sequence[str]) -> None:
    """What `write` wrote takes the place of its files in this process. Modules that Python's path finds below the first
    directory of `moved` are found below the second: a project that is installed in place is one of another tree then.
    """
    if texts:
        install({path: Path(text).read_bytes() for path, text in texts.items()})
    if moved:
        sys.path[:] = [below(entry, *moved) for entry in sys.path]


def below(path: str, directory: str, other: str) -> str:
    """A path below a directory, below another one; any other path as it is."""
    real = os.path.realpath(path) if path else path
    is_there = f"{real}{os.sep}".startswith(other + os.sep)  # the other one may lie below the first
    if is_there or not f"{real}{os.sep}".startswith(directory + os.sep):
        return path
    return other + real.removeprefix(directory)


def install(sources: Sources) -> Set[str]:
    """Put `sources` in the place of their files, in this process and in those that it starts to work for it.

    Called before the files are needed; a second call in a process changes nothing. Returns the paths that were opened
    to be run so far: the set grows while the program runs.
    """
    if _installed:
        return _installed[0]
    opened: set[str] = set()
    _installed.append(opened)
    named = {Path(path).name for path in sources}

    def edited(path: object) -> str | None:
        """The file that a path leads to, where that is an edited one."""
        if not isinstance(path, (str, os.PathLike)) or Path(path).name not in named:
            return None
        real = os.path.realpath(path)
        return real if real in sources else None

    _replace_openings(sources, edited, opened)
    _keep_from_bytecode(edited)
    _hand_on(sources)
    return opened


def _replace_openings(sources: Sources, edited: Callable[[object], str | None], opened: set[str]) -> None:
    """`io.open_code` is how Python opens files whose text it runs, be it for an import or for `runpy`."""
    standard: Any = io.open_code

    def open_code(path: Any) -> Any:
        """A file that is to be run, opened for reading bytes."""
        file = edited(path)
        if file is None:
            return standard(path)
        opened.add(file)
        _show_in_tracebacks(os.fspath(path), sources[file])
        return io.BytesIO(sources[file])

    io.open_code = open_code
    _io.open_code = open_code  # the import system knows it by this name


def _keep_from_bytecode(edited: Callable[[object], str | None]) -> None:
    """Bytecode beside an edited file is that of the user's own text: it is neither read nor written."""
    standard = SourceFileLoader.path_stats

    def path_stats(self: SourceFileLoader, path: str) -> Mapping[str, Any]:
        """The file's time and size, by which bytecode is known. Raises OSError where there can be none."""
        if edited(path) is not None:
            raise OSError(f"{path} is run from an edited text")
        return standard(self, path)

    SourceFileLoader.path_stats = path_stats  # type: ignore[method-assign] # the one place that all loaders ask


def _hand_on(sources: Sources) -> None:
    """Processes that are spawned import everything anew: what prepares them brings the sources along."""
    standard = multiprocessing.spawn.get_preparation_data

    def get_preparation_data(name: str) -> dict[str, Any]:
        """What a spawned process is told before it imports the script."""
        return {**standard(name), "trainlint": _InstallSources(sources)}

    multiprocessing.spawn.get_preparation_data = get_preparation_data


class _InstallSources:
    """Installs the sources in the process that unpickles it."""

    def __init__(self, sources: Sources) -> None:
        self.sources = dict(sources)

    def __reduce__(self) -> tuple[Callable[[Sources], Set[str]], tuple[Sources]]:
        return install, (self.sources,)


def _show_in_tracebacks(path: str, text: bytes) -> None:
    """Tracebacks and `inspect.getsource` (so TorchScript and Triton) see the text that runs.

    An entry without a time is one that linecache takes for a loader's, and never compares with the file.
    """
    lines = importlib.util.decode_source(text).splitlines(keepends=True)
    linecache.cache[path] = (len(text), None, lines, path)
