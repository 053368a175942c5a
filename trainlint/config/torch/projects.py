"""The requirements of torch in pyproject.toml, setup.cfg, setup.py and Pipfile."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.config.toml import parse_toml
from trainlint.config.torch.requirements import range_of_requirement, range_of_specifier, range_of_version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from trainlint.config.torch_range import TorchRange


def in_pyproject(text: str) -> Iterator[TorchRange | None]:
    """Dependencies, extras, dependency groups (PEP 735), and the tables of Poetry, PDM and uv."""
    values = _toml(text)
    project = _table(values, "project")
    lists = [
        project.get("dependencies"),
        *_table(project, "optional-dependencies").values(),
        *_table(values, "dependency-groups").values(),
        *_table(values, "tool", "pdm", "dev-dependencies").values(),
        _table(values, "tool", "uv").get("dev-dependencies"),
    ]
    for requirements in lists:
        yield from map(range_of_requirement, _texts(requirements))
    poetry = _table(values, "tool", "poetry")
    for table in (poetry, *(_table(group) for group in _table(poetry, "group").values())):
        for name in ("dependencies", "dev-dependencies"):
            yield from _of_table(_table(table, name).get("torch"))


def in_pipfile(text: str) -> Iterator[TorchRange | None]:
    """The packages of a Pipfile, and those for development."""
    values = _toml(text)
    for name in ("packages", "dev-packages"):
        yield from _of_table(_table(values, name).get("torch"))


def in_setup_cfg(text: str) -> Iterator[TorchRange | None]:
    """`install_requires` and the extras."""
    import configparser

    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string("\n".join(map(_single_spaced, text.splitlines())))
    except configparser.Error:
        return
    groups = [parser.get("options", "install_requires", fallback="")]
    if parser.has_section("options.extras_require"):
        groups += [group for _, group in parser.items("options.extras_require")]
    for group in groups:
        yield from map(range_of_requirement, group.splitlines())


def in_setup_py(text: str) -> Iterator[TorchRange | None]:
    """Each literal text: requirements stand in `install_requires`, in a list above it, or in a table of versions."""
    import ast
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # odd escapes are no matter of ours
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from map(range_of_requirement, node.value.splitlines())


def _of_table(wanted: object) -> Iterator[TorchRange | None]:
    """Poetry's `torch = "^2.4"`, `torch = {version = "^2.4"}` or `{url = "….whl"}`, or a list of such tables."""
    for one in wanted if isinstance(wanted, list) else [wanted]:
        table = one if isinstance(one, dict) else {"version": one}
        version, url = table.get("version"), table.get("url")
        if isinstance(version, str):
            # Poetry takes a version alone for exactly this one.
            yield range_of_version(version) if version[:1].isdigit() else range_of_specifier(version)
        elif isinstance(url, str):
            yield range_of_requirement(url)


def _single_spaced(line: str) -> str:
    """A line without rows of spaces, over which configparser's pattern takes quadratic time; an indent is kept."""
    words = " ".join(line.split())
    return f" {words}" if line[:1].isspace() else words


def _toml(text: str) -> dict[str, Any]:
    try:
        return parse_toml(text)
    except ValueError:
        return {}


def _table(values: object, *names: str) -> dict[str, Any]:
    for name in names:
        values = values.get(name) if isinstance(values, dict) else None
    return values if isinstance(values, dict) else {}


def _texts(values: object) -> list[str]:
    return [value for value in values if isinstance(value, str)] if isinstance(values, list) else []
