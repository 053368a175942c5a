"""`trainlint init`: a first configuration with what the project shows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from trainlint.cli import console
from trainlint.cli.console import UsageError
from trainlint.cli.setup.configuration_text import TABLE, appended, configuration_text
from trainlint.cli.setup.project_signs import ProjectSigns, project_signs
from trainlint.cli.setup.written_file import write_file
from trainlint.config.raw import PYPROJECT_TOML, TRAINLINT_TOML, ConfigError, parse_config, read_bytes
from trainlint.paths import absolute, exists, is_directory, shown_path
from trainlint.report.characters import quoted
from trainlint.report.patch import unified_difference
from trainlint.report.words import count

if TYPE_CHECKING:
    from argparse import Namespace


def init(options: Namespace) -> int:
    """Write the configuration, or what agents are told; or show it with --diff. Raises UsageError."""
    directory = absolute(Path(options.directory))
    if not is_directory(directory):
        raise UsageError(f"{options.directory} is no directory; name the root of a project, or nothing for this one")
    if options.agents:
        from trainlint.cli.setup.agents import init_agents

        return init_agents(directory, options)
    before = _pyproject(directory)
    signs = project_signs(directory)
    added = configuration_text(signs, TABLE)
    after = appended(before, added) if before is not None else None
    if before is not None and after is not None:
        place = directory / PYPROJECT_TOML
    else:
        place, before, after = directory / TRAINLINT_TOML, "", configuration_text(signs, "")
    shown = shown_path(place, Path.cwd())
    if options.diff:
        console.out(unified_difference(shown, before, after))
        return 0
    write_file(place, after, shown)
    _print_summary(signs, shown, is_new=not before)
    return 0


def _pyproject(directory: Path) -> str | None:
    """The text of the pyproject.toml of a directory, with its own line ends; None where there is none.

    Raises UsageError where there is a configuration of trainlint already, or what is there cannot be read.
    """
    place = directory / TRAINLINT_TOML
    if exists(place) or place.is_symlink():
        raise UsageError(f"{shown_path(place, Path.cwd())} is there already; nothing was changed")
    place = directory / PYPROJECT_TOML
    try:
        data = read_bytes(place)
        if data is None:
            return None
        if parse_config(place, data) is not None:
            shown = shown_path(place, Path.cwd())
            raise UsageError(f"{shown} has a table [{TABLE}] already; nothing was changed")
        return data.decode("utf-8")
    except ConfigError as error:
        raise UsageError(str(error)) from error
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{shown_path(place, Path.cwd())} is not UTF-8, as TOML has to be; save it as UTF-8"
        ) from error


def _print_summary(signs: ProjectSigns, shown: str, *, is_new: bool) -> None:
    notebooks = f", {count(signs.notebooks, 'notebook')}" if signs.notebooks else ""
    lines = [
        f"{'Wrote' if is_new else f'Added [{TABLE}] to'} {quoted(shown)}. It saw:",
        f"  {count(signs.files, 'Python file')}{notebooks}",
        f"  torch: {signs.target_torch or 'no version in the requirements'}",
    ]
    if left_out := (*signs.of_others, *signs.generated):
        lines.append(f"  code of others or of programs: {', '.join(map(quoted, left_out))}")
    if signs.tests:
        lines.append(f"  tests: {', '.join(map(quoted, signs.tests))}")
    console.out("".join(f"{line}\n" for line in lines))
    console.note("Next: `trainlint check`. In an old code base, `trainlint baseline` accepts what is there.")
