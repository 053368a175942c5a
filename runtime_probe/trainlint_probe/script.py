"""Runs a script or a module as `__main__`, as `python` itself would.

The script gets a `__main__` module of its own, which stays in place to the end: worker processes that are spawned,
pickled classes, threads and functions registered with atexit find it where they look for it.
"""

from __future__ import annotations

import builtins
import importlib.util
import io
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import cast


class NoScript(Exception):
    """There is nothing to run; the message is a sentence."""


@dataclass(frozen=True, slots=True)
class Script:
    """What is to be run."""

    module: ModuleType
    path: str
    """The file, absolute."""
    first_argument: str
    """What `sys.argv` begins with."""
    first_on_path: str
    """What `sys.path` begins with."""

    @property
    def directory(self) -> str:
        """Where the file lies."""
        return str(Path(self.path).parent)


def find(name: str, *, module: bool) -> Script:
    """A script by its path, or a module by its name.

    Raises:
        NoScript: there is none, or it cannot be run.
    """
    return _find_module(name) if module else _find_file(name)


def run(script: Script, arguments: Sequence[str]) -> None:
    """Run it. Whatever it raises comes through, SystemExit and SyntaxError as well."""
    sys.argv[:] = [script.first_argument, *arguments]
    sys.path[0] = script.first_on_path
    sys.modules["__main__"] = script.module
    exec(_code(script), vars(script.module))  # noqa: S102 - to run the user's script is what we are asked for


def _code(script: Script) -> CodeType:
    if script.module.__spec__ is not None:
        loader = cast(SourceFileLoader, script.module.__spec__.loader)
        code = loader.get_code(script.module.__spec__.name)
        if code is not None:
            return code
    with io.open_code(script.path) as file:  # as Python itself opens what it runs: an edited text can take its place
        return compile(file.read(), script.path, "exec", dont_inherit=True)


def _find_file(name: str) -> Script:
    path = Path(name).absolute()
    if path.is_dir():
        return _script(path / "__main__.py", argument=name, first_on_path=str(path))
    return _script(path, argument=name, first_on_path=str(path.resolve().parent))


def _script(path: Path, *, argument: str, first_on_path: str) -> Script:
    if not path.is_file():
        raise NoScript(f"{argument} is not a script: there is no file {path}.")
    module = _main_module(str(path))
    module.__loader__ = SourceFileLoader("__main__", str(path))
    return Script(module, str(path), argument, first_on_path)


def _find_module(name: str) -> Script:
    # `python -m` looks in the working directory first.
    sys.path[0] = str(Path.cwd())
    spec = _spec(name)
    if spec is not None and spec.submodule_search_locations is not None:
        spec = _spec(f"{name}.__main__")
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        raise NoScript(f"There is no module {name} that could be run, seen from {Path.cwd()}.")
    module = _main_module(spec.origin)
    module.__spec__ = spec
    module.__package__ = spec.parent
    module.__loader__ = spec.loader
    return Script(module, spec.origin, spec.origin, sys.path[0])


def _spec(name: str) -> ModuleSpec | None:
    try:
        return importlib.util.find_spec(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            return None
        raise  # the package exists, and its own import failed


def _main_module(path: str) -> ModuleType:
    module = ModuleType("__main__")
    module.__file__ = path
    vars(module)["__builtins__"] = builtins
    return module
