"""The torch versions that a project's own requirements let in. Nothing of the project is executed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from trainlint.config.raw import absolute, parse_toml
from trainlint.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from trainlint.config.torch_range import TorchRange

_REQUIREMENT = lazy(r"^\s*torch\s*(?:\[[^\]]*\]\s*)?(?P<versions>\(?\s*[<>=~!^][^;#@\\]*?)\s*(?:$|[;#\\]|\s--)")
_PROJECT_FILES = frozenset((".git", "pyproject.toml", "setup.py", "setup.cfg"))


def find_target_torch(directory: Path) -> TorchRange | None:
    """The torch versions named by the nearest requirements in a directory or above it, within its project.

    Read are pyproject.toml (standard and Poetry tables), setup.cfg, setup.py (its literal texts only) and
    requirements files. None where none of them sets a lower bound.
    """
    start = absolute(directory)
    for place in (start, *start.parents):
        names = _names_in(place)
        found = _first_range(place, names)
        if found is not None or not names.isdisjoint(_PROJECT_FILES):
            return found
    return None


def _first_range(place: Path, names: frozenset[str]) -> TorchRange | None:
    files = [place / name for name in _FILES_WITH_A_FORMAT if name in names]
    files += sorted(place / name for name in names if name.startswith("requirements") and name.endswith(".txt"))
    if "requirements" in names:
        files += sorted((place / "requirements").glob("*.txt"))
    for path in files:
        try:
            data = path.read_bytes()
        except OSError:  # this only finds a default, so what is out of reach is left to others to complain of
            continue
        if b"torch" in data and (found := _range_in(path.name, data)):  # parsers cost time to import
            return found
    return None


@lru_cache(maxsize=256)
def _range_in(name: str, data: bytes) -> TorchRange | None:
    from trainlint.config.torch_range import parse_torch_range, widest  # few files name a version

    text = data.decode("utf-8", "replace")
    found = []
    for requirement in _FILES_WITH_A_FORMAT.get(name, str.splitlines)(text):
        if match := _REQUIREMENT.match(requirement):
            try:
                found.append(parse_torch_range(match["versions"]))
            except ValueError:  # the installer will complain of it
                continue
    known = [versions for versions in found if versions is not None]
    return widest(known) if known else None


def _names_in(place: Path) -> frozenset[str]:
    try:
        return frozenset(child.name for child in place.iterdir())
    except OSError:
        return frozenset()


def _in_pyproject(text: str) -> Iterator[str]:
    try:
        values = parse_toml(text)
    except ValueError:
        return
    project = _table(values, "project")
    yield from _texts(project.get("dependencies"))
    for group in _table(project, "optional-dependencies").values():
        yield from _texts(group)
    poetry = _table(values, "tool", "poetry")
    tables = [poetry, *(_table(group) for group in _table(poetry, "group").values())]
    for table in tables:
        yield from _poetry_requirement(_table(table, "dependencies").get("torch"))


def _poetry_requirement(wanted: object) -> Iterator[str]:
    """Poetry's `torch = "^2.4"`, `torch = {version = "^2.4"}`, or a list of such tables."""
    for one in wanted if isinstance(wanted, list) else [wanted]:
        version = one.get("version") if isinstance(one, dict) else one
        if isinstance(version, str):
            yield f"torch =={version}" if version[:1].isdigit() else f"torch {version}"


def _in_setup_cfg(text: str) -> Iterator[str]:
    import configparser

    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return
    yield from parser.get("options", "install_requires", fallback="").splitlines()
    if parser.has_section("options.extras_require"):
        for _, group in parser.items("options.extras_require"):
            yield from group.splitlines()


def _in_setup_py(text: str) -> Iterator[str]:
    """Each literal text: requirements stand in `install_requires`, in a list above it, or in a table of versions."""
    import ast

    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from node.value.splitlines()


def _table(values: object, *names: str) -> dict[str, Any]:
    for name in names:
        values = values.get(name) if isinstance(values, dict) else None
    return values if isinstance(values, dict) else {}


def _texts(values: object) -> list[str]:
    return [value for value in values if isinstance(value, str)] if isinstance(values, list) else []


_FILES_WITH_A_FORMAT: dict[str, Callable[[str], Iterable[str]]] = {
    "pyproject.toml": _in_pyproject,
    "setup.cfg": _in_setup_cfg,
    "setup.py": _in_setup_py,
}
"""Others hold a requirement a line. In the order in which they are asked."""
