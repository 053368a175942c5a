"""What is to be done once a module has been imported, whenever the script does so.

The probe imports nothing of the user's by itself: OMP_NUM_THREADS and the like, set by a script before its own
`import torch`, must count as they do without us.
"""

from __future__ import annotations

import importlib.abc
import importlib.util
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


class Imports(importlib.abc.MetaPathFinder):
    """Stands first among the finders, finds nothing itself, and watches what the others find."""

    def __init__(self) -> None:
        self._wanted: dict[str, list[Callable[[], None]]] = {}
        self._searching: set[str] = set()

    def when(self, name: str, act: Callable[[], None]) -> None:
        """Act after a module's import; at once where it has been imported already."""
        if name in sys.modules:
            act()
            return
        self._wanted.setdefault(name, []).append(act)
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """The spec that the other finders give, with a loader that acts when it has run the module."""
        if name not in self._wanted or name in self._searching:
            return None
        self._searching.add(name)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._searching.discard(name)
        loader = None if spec is None else spec.loader
        if loader is None or not hasattr(loader, "exec_module"):
            return spec
        run = loader.exec_module

        def run_and_act(module: ModuleType) -> None:
            run(module)
            del loader.exec_module  # ours, on this one object: the class's own shows again
            for act in self._wanted.pop(name, ()):
                act()

        loader.exec_module = run_and_act  # type: ignore[method-assign] # on this one object
        return spec


def loaded(name: str) -> Any:
    """A module that has been imported wholly; None before that."""
    module = sys.modules.get(name)
    spec = getattr(module, "__spec__", None)
    return None if getattr(spec, "_initializing", False) else module
