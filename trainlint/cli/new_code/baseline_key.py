"""The key `baseline` of a configuration, added by `trainlint baseline` where no configuration names a baseline."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trainlint.atomic_write import write_atomically
from trainlint.bounded import leads_out, write_leaves_project
from trainlint.config.raw import PYPROJECT_TOML, TRAINLINT_TOML, ConfigError, read_bytes
from trainlint.config.toml import parse_toml
from trainlint.config.written import toml
from trainlint.paths import exists, shown_path
from trainlint.project import project_around

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEADER = "[tool.trainlint]"
"""The line in a pyproject.toml below which the settings stand."""


def name_baseline(baseline: Path, source: str | None) -> str | None:
    """Write `baseline = "..."` into the configuration file `source`, and return its name as shown to the user.

    Where there is none (None), the key goes into the pyproject.toml beside the baseline, or into a new
    trainlint.toml there. All other lines and comments stay. None where nothing was written: the baseline lies
    outside of the configuration's project, or the file cannot be changed safely.
    """
    place = Path(source) if source is not None else _beside(baseline)
    if leads_out(baseline, project_around(str(place.parent)) or place.parent):
        return None
    name = os.path.relpath(baseline, place.parent).replace(os.sep, "/")
    shown = shown_path(place, Path.cwd())
    try:
        before = (read_bytes(place) or b"").decode("utf-8")
        after = _with_key(before, f"baseline = {toml(name)}", name, in_table=place.name == PYPROJECT_TOML)
        if after is None or place.is_symlink() or write_leaves_project(place):
            return None
        write_atomically(str(place), after.encode("utf-8"), like=os.stat(place) if exists(place) else None)
    except (ConfigError, ValueError, OSError):
        return None
    return shown


def _beside(baseline: Path) -> Path:
    pyproject = baseline.parent / PYPROJECT_TOML
    return pyproject if pyproject.exists() else baseline.parent / TRAINLINT_TOML


def _with_key(before: str, line: str, name: str, *, in_table: bool) -> str | None:
    """The text with the line where it sets the key and changes nothing else; None where there is no such place."""
    newline = "\r\n" if "\r\n" in before else "\n"
    was = parse_toml(before.replace("\r\n", "\n"))
    wanted = _with_value(was, name, in_table=in_table)
    for text in _candidates(before, line, newline, in_table=in_table):
        try:
            now = parse_toml(text.replace("\r\n", "\n"))
        except ValueError:
            continue
        if now == wanted:
            return text
    return None


def _candidates(before: str, line: str, newline: str, *, in_table: bool) -> Iterator[str]:
    """The text with the line in each place that may do: in an existing table first, then with a table of its own."""
    lines = before.splitlines(keepends=True)
    if in_table:
        for index, text in enumerate(lines):
            if text.split("#")[0].strip() == _HEADER:
                head = text if text.endswith("\n") else text + newline
                yield "".join([*lines[:index], head, line, newline, *lines[index + 1 :]])
        gap = "" if not before or before.endswith("\n\n") else newline if before.endswith("\n") else newline * 2
        yield f"{before}{gap}{_HEADER}{newline}{line}{newline}"
        return
    first = next((index for index, text in enumerate(lines) if text.strip() and text.lstrip()[0] != "#"), len(lines))
    head = "".join(lines[:first])
    yield f"{head}{newline if head and not head.endswith(newline) else ''}{line}{newline}{''.join(lines[first:])}"


def _with_value(values: dict[str, Any], name: str, *, in_table: bool) -> dict[str, Any]:
    if not in_table:
        return {**values, "baseline": name}
    tool = values.get("tool", {})
    return {**values, "tool": {**tool, "trainlint": {**tool.get("trainlint", {}), "baseline": name}}}
