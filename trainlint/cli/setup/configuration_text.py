"""The lines of a first configuration, each with what it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainlint.baseline.file import DEFAULT_NAME
from trainlint.config.toml import parse_toml
from trainlint.config.written import toml, toml_key

if TYPE_CHECKING:
    from trainlint.cli.setup.project_signs import ProjectSigns

TABLE = "tool.trainlint"
"""Where the settings stand in a pyproject.toml."""


def appended(before: str, added: str) -> str | None:
    """A pyproject.toml with a table at its end; None where that would be no TOML."""
    newline = "\r\n" if "\r\n" in before else "\n"
    gap = "" if not before or before.endswith("\n\n") else newline if before.endswith("\n") else newline * 2
    after = before + gap + added.replace("\n", newline)
    try:
        parse_toml(after.replace("\r\n", "\n"))
    except ValueError:
        return None
    return after


def configuration_text(signs: ProjectSigns, table: str) -> str:
    """The lines for a trainlint.toml where `table` is empty; else those of that table of a pyproject.toml."""
    lines = [f"[{table}]"] if table else ["# Settings of trainlint. `trainlint check --show-settings` shows them all."]
    if signs.target_torch is not None:
        lines += [
            "# The requirements say which versions of torch the project supports.",
            f"# target-torch = {toml(str(signs.target_torch))}",
        ]
    else:
        lines += [
            "# The oldest torch that the project supports. Known, it makes more fixes safe.",
            '# target-torch = ">=2.4"',
        ]
    left_out = [*signs.of_others, *signs.generated]
    if left_out:
        lines += ["# Code of other projects and generated code is not judged.", f"exclude = {toml(left_out)}"]
    else:
        lines += ["# Not judged, besides what .gitignore names.", '# exclude = ["third_party"]']
    if signs.baseline:
        lines += ["# Findings that this file lists are not reported.", f"baseline = {toml(DEFAULT_NAME)}"]
    lines += [
        "# What makes `trainlint check` exit with 1: advice, warning or error.",
        'fail-on = "advice"',
    ]
    if signs.tests:
        header = f"[{table}.per-file-ignores]" if table else "[per-file-ignores]"
        lines += ["", "# Tests train for a few steps, so what is slow there costs nothing.", header]
        lines += [f"{toml_key(f'{folder}/**')} = {toml(['ALL'])}" for folder in signs.tests]
    return "\n".join(lines) + "\n"
