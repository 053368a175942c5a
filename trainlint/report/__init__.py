"""A Report in, text out: one module a format. Nothing outside of this package prints a report.

A format's module is imported when it is asked for, so a clean run pays for none of their libraries.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module

from trainlint.report.characters import json_without_commands, without_commands
from trainlint.report.settings import Settings, Sources, Style

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.catalogue import AnyRule
    from trainlint.finding import Report

__all__ = ["FORMATS", "Settings", "Sources", "Style", "render", "render_statistics"]


@dataclass(frozen=True, slots=True)
class Format:
    """What is done with the text of one format, besides writing it."""

    escape: Callable[[str], str]
    """Keeps a CI log from taking a line of the text for a command."""
    for_people: bool = False
    """Whether a person reads it, so that `--statistics` may stand in its place."""
    counts: bool = False
    """Whether the text says how many findings there are, and how many are left out."""
    from_repository: bool = False
    """Whether paths start at the git repository's root, since a service reads them and not a person."""


def _is_escaped(text: str) -> str:
    return text


FORMATS = {
    "full": Format(without_commands, for_people=True, counts=True),
    "concise": Format(without_commands, for_people=True, counts=True),
    "agent": Format(without_commands, for_people=True, counts=True),
    "json": Format(json_without_commands, counts=True),
    "github": Format(_is_escaped, from_repository=True),
    "sarif": Format(json_without_commands, from_repository=True),
    "gitlab": Format(json_without_commands, from_repository=True),
    "junit": Format(without_commands, from_repository=True),
    "markdown": Format(without_commands, counts=True, from_repository=True),
}
"""What `--output-format` of `trainlint check` may be.

The module of the same name in `formats` has a function `render`, which takes of `sources`, `rules` and `settings`
what it needs.
"""


def render(
    report: Report, output_format: str, *, sources: Sources, rules: Sequence[AnyRule], settings: Settings
) -> str:
    """The report in one of FORMATS, ending with a line feed unless it is empty.

    `sources` gives the text that the findings' positions are about, and None where it is no longer at hand.
    `rules` are those that ran. Raises ValueError for a format that is not in FORMATS.
    """
    if output_format not in FORMATS:
        raise ValueError(f"unknown output format {output_format!r}; choose one of {', '.join(FORMATS)}")
    module = import_module(f"trainlint.report.formats.{output_format}")
    return FORMATS[output_format].escape(module.render(report, sources=sources, rules=rules, settings=settings))


def render_statistics(report: Report, *, settings: Settings) -> str:
    """How often each rule was broken, as `--statistics` shows it in place of the findings."""
    from trainlint.report import statistics

    return without_commands(statistics.render(report, settings=settings))
