"""`trainlint check --show-files` and `--show-settings`: what a run would look at, without the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from trainlint.cli import console
from trainlint.cli.output import tell_failures
from trainlint.config import ConfigError
from trainlint.config.written import plain, toml, toml_key
from trainlint.engine.configurations import Configurations, Misconfigured, Selection
from trainlint.engine.discover import Discovery
from trainlint.finding import Failure
from trainlint.paths import absolute, exists, is_directory, shown_path
from trainlint.report.characters import json_without_commands, quoted


def show_files(discovery: Discovery) -> tuple[Failure, ...]:
    """List the files that would be judged, one a line, and return what stands in the way."""
    console.out("".join(f"{quoted(target.shown)}\n" for target in discovery.targets))
    tell_failures(discovery.failures)
    return discovery.failures


def show_settings(paths: Sequence[Path], configurations: Configurations) -> tuple[Failure, ...]:
    """Show the settings that hold for each of the paths, and return what stands in the way."""
    here = Path.cwd()
    names: dict[Selection, list[str]] = {}
    failures: list[Failure] = []
    for path in paths:
        place = absolute(path)
        name = shown_path(place, here)
        if not exists(place):
            failures.append(Failure(name, "it does not exist; check the spelling and the working directory"))
            continue
        try:
            selection = configurations.of(place if is_directory(place) else place.parent)
        except Misconfigured as error:
            failures.append(Failure(name, str(error)))
        else:
            names.setdefault(selection, []).append(quoted(name))
    pages = []
    for selection, named in names.items():
        try:
            pages.append(_settings(", ".join(named), selection, configurations.origins(selection.config)))
        except ConfigError as error:
            failures += [Failure(name, str(error)) for name in named]
    console.out("\n".join(pages))
    tell_failures(failures)
    return tuple(failures)


def _settings(names: str, selection: Selection, origins: Mapping[str, Sequence[str]]) -> str:
    """The settings as a trainlint.toml would hold them, each with where it comes from."""
    config = selection.config
    lines = [
        f"# For {names}",
        f"# Read from {quoted(config.source or 'no configuration file')}; paths are relative to {quoted(config.root)}",
        f"# Rules that run: {' '.join(rule.code for rule in selection.rules)}",
    ]
    tables: list[str] = []
    for key in config.keys:
        value = plain(key, getattr(config, key.field))
        comment = "# " + ", ".join(map(quoted, origins[key.field]))
        if value is None:
            lines.append(f"# {key.name} is not set  {comment}")
        elif isinstance(value, dict) and value:
            rows = (f"{toml_key(name)} = {toml(entry)}" for name, entry in value.items())
            tables += ["", f"[{key.name}]  {comment}", *map(json_without_commands, rows)]
        else:
            lines.append(f"{key.name} = {json_without_commands(toml(value))}  {comment}")
    return "\n".join((*lines, *tables)) + "\n"
