"""Rule packs that `--plugin` names: a module that Python finds by its name, or a file or a package by its path."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from importlib.machinery import PathFinder
from importlib.util import spec_from_file_location

from trainlint.installation.distributions import PackError, homes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType


@dataclass(frozen=True, slots=True)
class Plugin:
    """A rule pack that the user named on the command line."""

    module: str
    """The name that it is imported by."""
    location: str = ""
    """The file, or the package's folder, absolute; empty where Python finds the module by its name."""

    @property
    def places(self) -> tuple[str, ...]:
        """The folders that its modules lie in, or its file."""
        return (self.location,) if self.location else homes(self.module)


def find_plugin(named: str) -> Plugin:
    """What `--plugin` names. Nothing is imported. Raises PackError where there is no such file or module."""
    if os.sep in named or "/" in named or named.endswith(".py"):
        return _by_path(named)
    if all(part.isidentifier() for part in named.split(".")) and homes(named):
        return Plugin(named)
    raise PackError(
        f"--plugin {named}: Python finds no module of this name outside of the code that is judged; "
        f"for a file or a directory, write its path, such as .{os.sep}{named}"
    )


def make_importable(plugin: Plugin) -> None:
    """Let Python find the plugin's module, and what is below it, at its path. Nothing else there is found."""
    finder = next((finder for finder in sys.meta_path if isinstance(finder, _Finder)), None)
    if finder is None:
        finder = _Finder()
        sys.meta_path.append(finder)
    finder.locations[plugin.module.partition(".")[0]] = plugin.location


def _by_path(named: str) -> Plugin:
    location = os.path.abspath(named)
    module = os.path.basename(location)
    if os.path.isfile(location) and module.endswith(".py"):
        module = module.removesuffix(".py")
    elif not os.path.isfile(os.path.join(location, "__init__.py")):
        raise PackError(f"--plugin {named}: there is no such .py file, and no such directory with an __init__.py")
    if not module.isidentifier():
        raise PackError(f"--plugin {named}: {module!r} cannot be the name of a module; rename it")
    others = homes(module)
    if others not in ((), (location,)) or module in sys.stdlib_module_names:
        other = others[0] if others else "Python itself"
        raise PackError(f"--plugin {named}: there is another module named {module!r} ({other}); rename the plugin")
    return Plugin(module, location)


class _Finder:
    """Finds top-level modules at the places that were named; the last of all finders."""

    def __init__(self) -> None:
        self.locations: dict[str, str] = {}

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module's place; None for any other module."""
        location = self.locations.get(name)
        if path is not None or location is None:
            return None
        if location.endswith(".py"):
            return spec_from_file_location(name, location)
        return PathFinder.find_spec(name, [os.path.dirname(location)])
