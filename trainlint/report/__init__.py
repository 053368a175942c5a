"""The only room that prints: a Report in, text out, one module a format.

A format's module is imported when it is asked for, so a clean run pays for none of their libraries.
"""

from __future__ import annotations

from collections.abc import Sequence

from trainlint.report.characters import json_without_commands, without_commands
from trainlint.report.settings import Settings, Sources, Style

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.declared import Declared
    from trainlint.finding import Report

__all__ = ["FORMATS", "Settings", "Sources", "Style", "render", "render_statistics"]

FORMATS = ("full", "concise", "json", "github", "sarif")
"""What `--output-format` of `trainlint check` may be."""


def render(
    report: Report, output_format: str, *, sources: Sources, rules: Sequence[Declared], settings: Settings
) -> str:
    """The report in one of FORMATS, ending with a line feed unless it is empty.

    `sources` gives the text that the findings' positions are about, and None where it is no longer at hand.
    `rules` are those that ran. Raises ValueError for a format that is not in FORMATS.
    """
    if output_format == "full":
        from trainlint.report import full

        return without_commands(full.render(report, sources=sources, settings=settings))
    if output_format == "concise":
        from trainlint.report import concise

        return without_commands(concise.render(report, settings=settings))
    if output_format == "json":
        from trainlint.report import json

        return json_without_commands(json.render(report))
    if output_format == "github":
        from trainlint.report import github

        return github.render(report, settings=settings)
    if output_format == "sarif":
        from trainlint.report import sarif

        return json_without_commands(sarif.render(report, sources=sources, rules=rules, settings=settings))
    raise ValueError(f"unknown output format {output_format!r}; choose one of {', '.join(FORMATS)}")


def render_statistics(report: Report, *, settings: Settings) -> str:
    """How often each rule was broken, as `--statistics` shows it in place of the findings."""
    from trainlint.report import statistics

    return without_commands(statistics.render(report, settings=settings))
