"""`trainlint check --show-files` and `--show-settings`: what a run would look at, without the run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from trainlint.cli import console
from trainlint.cli.output import tell_failures
from trainlint.engine.configurations import Configurations, Misconfigured, Selection
from trainlint.engine.discover import Discovery
from trainlint.finding import Failure, Severity
from trainlint.paths import absolute, shown_path
from trainlint.report.characters import quoted


def show_files(discovery: Discovery) -> tuple[Failure, ...]:
    """List the files that would be judged, one a line, and return what stands in the way."""
    console.out("".join(f"{quoted(target.shown)}\n" for target in discovery.targets))
    tell_failures(discovery.failures)
    return discovery.failures


def show_settings(paths: Sequence[Path], configurations: Configurations) -> tuple[Failure, ...]:
    """Show the settings that hold for each of the paths, and return what stands in the way."""
    here = Path.cwd()
    shown: dict[Selection, list[str]] = {}
    failures: list[Failure] = []
    for path in paths:
        place = absolute(path)
        name = shown_path(place, here)
        if not place.exists():
            failures.append(Failure(name, "it does not exist; check the spelling and the working directory"))
            continue
        try:
            selection = configurations.of(place if place.is_dir() else place.parent)
        except Misconfigured as error:
            failures.append(Failure(name, str(error)))
        else:
            shown.setdefault(selection, []).append(quoted(name))
    console.out("\n".join(_settings(", ".join(names), selection) for selection, names in shown.items()))
    tell_failures(failures)
    return tuple(failures)


def _settings(names: str, selection: Selection) -> str:
    """The settings as a trainlint.toml would hold them, the command line's included."""
    config = selection.config
    source, root = config.source or "no configuration file", config.root
    lines = [
        f"# For {names}",
        f"# Read from {quoted(str(source))}; paths are relative to {quoted(str(root))}",
        f"# Rules that run: {' '.join(rule.code for rule in selection.rules)}",
        *(
            f"{key} = {_toml(value)}"
            for key, value in (
                ("select", config.select),
                ("extend-select", config.extend_select),
                ("ignore", config.ignore),
                ("preview", config.preview),
                ("min-confidence", config.min_confidence),
                ("fail-on", config.fail_on),
                ("file-time-limit", config.file_time_limit),
                ("exclude", config.exclude),
                ("hot", config.hot),
                ("cold", config.cold),
                ("target-torch", config.target_torch),
            )
            if value is not None
        ),
    ]
    for table, entries in (("per-file-ignores", config.per_file_ignores), ("severity", config.severity)):
        lines += _table(table, entries)
    return "\n".join(lines) + "\n"


def _table(name: str, entries: Sequence[tuple[str, object]]) -> list[str]:
    rows = [f"{json.dumps(key)} = {_toml(value)}" for key, value in entries]
    return ["", f"[{name}]", *rows] if rows else []


def _toml(value: object) -> str:
    match value:
        case Severity():
            return json.dumps(value.label)
        case bool() | int() | float():
            return json.dumps(value)
        case tuple():
            return f"[{', '.join(map(_toml, value))}]"
        case _:
            return json.dumps(str(value))
