"""What a file is to its project, by where it lies and what it imports: run by nobody, or a copy of a library."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from trainlint.analysis.programs.test_files import is_kept_aside, is_output_of_run
from trainlint.analysis.tables.common_names import LIBRARIES

if TYPE_CHECKING:
    from trainlint.analysis.project.glance import Glance
    from trainlint.analysis.project.modules import Modules

_PACKAGE, _SETUP = "__init__.py", "setup.py"
_BUILT = ("version", "pb2", "cuda", "_ext", "_cpp", "lib")
"""Parts of the names of modules that are made when a project is built, as are those that begin with `_`."""


def run_by_nobody(
    paths: Sequence[Path],
    glances: Sequence[Glance],
    imports: Sequence[set[int]],
    modules: Modules,
    lies_in: Callable[[str, str], bool],
) -> list[bool]:
    """Which files nobody runs, as their paths and imports say.

    Such are files in a directory for what is no longer used, from which no other directory imports them, copies of
    other files of the project where runs leave what they write, and files that import a module which their package
    lacks. `lies_in` says whether a directory holds anything that may be a module.
    """
    places = _below_all(paths)
    aside, copies = _kept_aside(places, imports), _copies_among_outputs(paths, glances, places)
    tails = {_tail(path) for path in paths}
    return [
        number in aside
        or number in copies
        or any(
            (sought := _missing_module(origin, number, paths, modules, tails)) is not None and not lies_in(*sought)
            for origin in _imports_at_top(glance)
        )
        for number, glance in enumerate(glances)
    ]


def copied_libraries(paths: Sequence[Path], glances: Sequence[Glance], imports: Sequence[set[int]]) -> list[bool]:
    """Which files belong to a copy of a well-known library that lies beside a program which imports it.

    In a checkout of the library itself, what installs it lies there.
    """
    known = set(paths)
    packages = [_outermost_package(path.parent, known) for path in paths]
    used = {
        (packages[target], path.parent)
        for path, glance, targets in zip(paths, glances, imports, strict=True)
        if glance.program.runs
        for target in targets
    }
    return [
        package is not None
        and package.name in LIBRARIES
        and package.parent / _SETUP not in known
        and (package, package.parent) in used
        for package in packages
    ]


def _below_all(paths: Sequence[Path]) -> list[str]:
    """The paths from the directory on that is around all of them."""
    folders = zip(*(path.parent.parts for path in paths), strict=False)
    above = sum(1 for _ in takewhile(lambda names: len(set(names)) == 1, folders))
    return ["/".join(path.parts[above:]) for path in paths]


def _kept_aside(places: Sequence[str], imports: Sequence[set[int]]) -> set[int]:
    """The files in directories for what is no longer used that no file outside of these imports."""
    aside = {number for number, place in enumerate(places) if is_kept_aside(place)}
    return aside.difference(*(targets for number, targets in enumerate(imports) if number not in aside))


def _copies_among_outputs(paths: Sequence[Path], glances: Sequence[Glance], places: Sequence[str]) -> set[int]:
    """The files where runs leave what they write that are copies of others: the same name, imports and nearly size."""
    outputs = [number for number, place in enumerate(places) if is_output_of_run(place)]
    others: dict[tuple[str, tuple[str, ...]], list[int]] = {}
    for number in set(range(len(paths))).difference(outputs) if outputs else ():
        others.setdefault((paths[number].name, glances[number].imports), []).append(glances[number].size)
    return {
        number
        for number in outputs
        if len(glances[number].imports) > 1
        for size in others.get((paths[number].name, glances[number].imports), ())
        if 0.8 * size <= glances[number].size <= 1.25 * size
    }


def _imports_at_top(glance: Glance) -> list[str]:
    """The origins that a file imports whatever happens: none inside functions, tests and `try`."""
    return [origin for origin in glance.imports if origin not in glance.indented]


def _missing_module(
    origin: str, number: int, paths: Sequence[Path], modules: Modules, tails: set[tuple[str, str]]
) -> tuple[str, str] | None:
    """The directory of a package, which has an `__init__.py`, and the module in it that is imported and not in sight.

    Nor is there such a module in a package of the same name elsewhere, which another `sys.path` may find. Modules that
    a build makes are never there.
    """
    if origin.partition(".")[0] in LIBRARIES:
        return None
    found = modules.resolve(number, origin)
    if found is None or len(found[1]) < 2 or paths[found[0]].name != _PACKAGE:
        return None
    module, folder = found[1][0], paths[found[0]].parent
    is_built = module.startswith("_") or any(part in module for part in _BUILT)
    return None if is_built or (folder.name, module) in tails else (str(folder), module)


def _tail(path: Path) -> tuple[str, str]:
    """The last two words of the name that a file can be imported by."""
    folder = path.parent
    return (folder.parent.name, folder.name) if path.name == _PACKAGE else (folder.name, path.stem)


def _outermost_package(folder: Path, paths: set[Path]) -> Path | None:
    """The directory of the outermost package around a directory, itself included."""
    found = None
    while folder / _PACKAGE in paths:
        folder, found = folder.parent, folder
    return found
