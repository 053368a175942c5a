"""Settings that are reported, as rows of tables: of frameworks, in a call, a dict, or a file of JSON or YAML."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.literal_dicts import Setting, Settings
from trainlint.contract.declared_rule import Match
from trainlint.finding import Confidence, Severity

Path = tuple[str, ...]
"""The keys that lead to a setting."""
ABSENT = ...
"""In `where` of a row: the setting does not stand in the text, or its value is no constant."""


class SettingRow(NamedTuple):
    """A setting that is reported, as a row of a table."""

    path: Path
    fact: str
    """What is wrong with it. `{name}` is its last key, `{setting}` the key with its value, as written."""
    instead: str
    """What to do."""
    values: Iterable[object] = ()
    """The values that it has then; any value where this is empty."""
    where: tuple[tuple[Path, tuple[object, ...]], ...] = ()
    """Values that other settings must have."""
    lacks: tuple[Path, ...] = ()
    """Settings that must be absent. All keys beside them must be in sight."""
    sure: Confidence = Confidence.CERTAIN
    severity: Severity = Severity.WARNING


class Claim(NamedTuple):
    """A setting, and the row that reports it."""

    setting: Setting
    row: SettingRow


def claims(settings: Settings, rows: Iterable[SettingRow]) -> Iterator[Claim]:
    """The settings that are reported. Of several rows about one setting the first that fits counts."""
    reported: set[Path] = set()
    for row in rows:
        setting = settings.get(*row.path)
        if setting is not None and row.path not in reported and _fits(settings, setting, row):
            reported.add(row.path)
            yield Claim(setting, row)


def matches(site: Site, found: Iterable[Claim]) -> Iterator[Match]:
    """Claims about the settings of a site as matches. Fields: `fact` and `instead`."""
    for setting, row in found:
        is_argument = isinstance(site.node, ast.Call)
        value = site.text(setting.value)
        shown = f"`{row.path[-1]}={value}`" if is_argument else f"`{row.path[-1]}: {value}`"
        fields = {"fact": row.fact.format(name=row.path[-1], setting=shown), "instead": row.instead}
        place = site.at(setting.value if is_argument else setting.key)
        yield Match(place, row.sure, fields, severity=row.severity)


def _fits(settings: Settings, setting: Setting, row: SettingRow) -> bool:
    if row.values and not _is_one_of(setting.literal, row.values):
        return False
    if not all(_is_one_of(settings.literal(*path), values) for path, values in row.where):
        return False
    return all(_surely_lacks(settings, *path) for path in row.lacks)


def _surely_lacks(settings: Settings, *path: str) -> bool:
    section = settings.section(*path[:-1])
    return section is not None and section.is_whole and section.get(path[-1]) is None


def _is_one_of(literal: object, values: Iterable[object]) -> bool:
    """Whether a literal is one of some values, where 1 is not True."""
    return any(type(literal) is type(value) and literal == value for value in values)
