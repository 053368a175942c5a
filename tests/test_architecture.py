"""The shape of the code: no circles of imports, no folder or module too large. docs/architecture.md explains it.

Which package may import which is import-linter's part (pyproject.toml).
"""

from __future__ import annotations

import graphlib
from functools import cache
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = {
    "trainlint": ROOT / "trainlint",
    "trainlint_rules": ROOT / "rules/trainlint_rules",
    "trainlint_probe": ROOT / "runtime_probe/trainlint_probe",
}
MOST_MODULES = 20
MOST_LINES = 400

FOR_ANNOTATIONS_ONLY = {
    # The semantic model computes each fact when it is first asked for, and these facts are computed from others.
    "trainlint.analysis.syntax.memo": ("trainlint.analysis.semantic_model",),
    # Rules have settings, the model carries the settings, and rules are asked about the model.
    "trainlint.analysis.semantic_model": ("trainlint.config",),
    "trainlint.analysis.comments.reasons": ("trainlint.analysis.semantic_model",),
    "trainlint.catalogue": ("trainlint.analysis.site",),
    "trainlint.config.kinds": ("trainlint.catalogue",),
    "trainlint.config.reading": ("trainlint.catalogue",),
    "trainlint.config.resolve": ("trainlint.catalogue",),
    "trainlint.config.selection": ("trainlint.catalogue", "trainlint.config.settings"),
    "trainlint.rule": ("trainlint.analysis.semantic_model", "trainlint.analysis.site"),
    # The store writes stamps.
    "trainlint.cache.stamps": ("trainlint.cache.store",),
}
"""Imports under TYPE_CHECKING that close a circle: module → what it names in annotations. They run no code."""


@cache
def imports(*, with_annotations: bool) -> dict[str, frozenset[str]]:
    """Module → the modules of ours that it imports, at its top or in a function."""
    graph = grimp.build_graph(*PACKAGES, exclude_type_checking_imports=not with_annotations, cache_dir=None)
    return {module: frozenset(graph.find_modules_directly_imported_by(module)) for module in graph.modules}


def reachable(graph: dict[str, frozenset[str]], start: str) -> set[str]:
    """The modules that one imports, at any distance."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        new = graph[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def circle_in(graph: dict[str, frozenset[str]]) -> list[str]:
    """The modules of one circle of imports, in order; none where there is no circle."""
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        circle: list[str] = error.args[1]
        return circle[::-1]
    return []


def modules_in(folder: Path) -> list[str]:
    """The modules of a folder. `__init__` and `__main__` are not counted: they only begin what others do."""
    return sorted(path.stem for path in folder.glob("*.py") if path.stem not in ("__init__", "__main__"))


def folders() -> list[Path]:
    """The folders with code of ours."""
    return sorted({path.parent for package in PACKAGES.values() for path in package.rglob("*.py")})


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circle_in(imports(with_annotations=False)) == []


def test_a_circle_through_an_import_in_a_function_would_be_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "circling"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "one.py").write_text("import circling.two\n")
    (package / "two.py").write_text("def later():\n    from circling import one\n    return one\n")
    monkeypatch.syspath_prepend(tmp_path)
    graph = grimp.build_graph("circling", exclude_type_checking_imports=True, cache_dir=None)
    found = {module: frozenset(graph.find_modules_directly_imported_by(module)) for module in graph.modules}
    assert set(circle_in(found)) == {"circling.one", "circling.two"}


def test_circles_through_annotations_are_the_listed_ones() -> None:
    runtime, whole = imports(with_annotations=False), imports(with_annotations=True)
    found = {
        module: tuple(sorted(name for name in names - runtime[module] if module in reachable(whole, name)))
        for module, names in whole.items()
    }
    assert {module: names for module, names in found.items() if names} == FOR_ANNOTATIONS_ONLY


def test_a_folder_can_be_surveyed() -> None:
    modules = {folder.relative_to(ROOT).as_posix(): len(modules_in(folder)) for folder in folders()}
    too_large = {name: count for name, count in modules.items() if count > MOST_MODULES}
    assert too_large == {}, "group what belongs together in a package"


def test_a_module_can_be_surveyed() -> None:
    paths = [path for package in PACKAGES.values() for path in package.rglob("*.py")]
    lines = {path.relative_to(ROOT).as_posix(): len(path.read_text("utf-8").splitlines()) for path in paths}
    too_long = {name: count for name, count in lines.items() if count > MOST_LINES}
    assert too_long == {}, "split it"
