"""No pattern of the program takes more than linear time to match a text that a stranger wrote.

Steps are counted, not seconds: see tests/security/backtracking.py.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import trainlint
import trainlint_rules
from tests.recursion import recursion_limit
from tests.security.backtracking import BREAKER, MOST, attacks, steps

pytestmark = pytest.mark.slow  # it counts the steps of some 400 patterns

TIMES = 8
"""How often an attack repeats at first; it is doubled twice."""
PARTS = 8
"""Into how many tests the slow one is parted, so that a run in parallel can share them out."""
LINEAR = 2.6
"""Twice the text takes about twice the steps, and quadratic patterns take four times as many."""
BOUNDED_OTHERWISE = {
    "trainlint.analysis.programs.test_files._IDLE_PATH": "it matches paths, whose length systems bound",
}
NEVER_SEARCHED = {
    "trainlint.fixing.arguments._BEHIND_LAST",
    "trainlint.fixing.expressions._CLOSED",
    "trainlint.fixing.expressions._CLOSING_PARENTHESIS",
    "trainlint.fixing.statements._SEMICOLON",
    "trainlint.fixing.statements._REST_OF_LINE",
    "trainlint.analysis.project.glance._IMPORT",
    "trainlint.analysis.tables.frameworks.hooks.EPOCH_NAMES",
    "trainlint.analysis.tables.frameworks.hooks.FRAMEWORKS.hooks",
    "trainlint.analysis.tables.frameworks.hooks.FRAMEWORKS.without_gradients",
    "trainlint.analysis.tables.frameworks.roles._HANDLER",
    "trainlint.config.stated_torch._FILE",
    "trainlint.gitignore.wildcards._PIECE",
    "trainlint.config.stated_torch._OF_POETRY",
    "trainlint.installation.kept_texts._KEPT",
    "trainlint.notebooks.magics._ASSIGNED",
    "trainlint.notebooks.magics._AUTOMAGIC",
    "trainlint.notebooks.magics._CELL_MAGIC",
    "trainlint.planning.configuration._NEUTRAL",
    "trainlint.planning.configuration._OTHER_MODELS",
    "trainlint.rule._NAME",
    "trainlint.suppress.comments._BRACKETS",
    "trainlint.suppress.comments._COLON",
    "trainlint.suppress.comments._LISTED_WORD",
    "trainlint.suppress.comments._CODE",
    "trainlint_rules.sync.idioms.moved._MOVE_TEXT",
}
"""Patterns that are only matched at one place, or with a whole text."""
SEARCHED_IN_SHORT_TEXTS = {
    "trainlint.config.stated_torch._RELEASE": "in a line of 2,000 characters",
    "trainlint.fixing.expressions._OPENED": "in 200 characters",
    "trainlint.fixing.expressions._LAST_WORD": "in 20 characters",
}


@cache
def patterns() -> dict[str, tuple[str, int]]:
    """Every compiled pattern that a module of the program holds, in whatever structure, by where it stands."""
    found: dict[str, tuple[str, int]] = {}
    for package in (trainlint, trainlint_rules):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                for name, value in vars(importlib.import_module(module.name)).items():
                    _collect(value, f"{module.name}.{name}", found, 4)
    return found


def _collect(value: Any, where: str, found: dict[str, tuple[str, int]], depth: int) -> None:
    if isinstance(value, tuple) and hasattr(value, "_fields"):  # a named tuple
        for name in value._fields:
            _collect(getattr(value, name), f"{where}.{name}", found, depth - 1)
    elif isinstance(value, re.Pattern) or type(value).__name__ == "lazy":
        text = value.pattern if isinstance(value.pattern, str) else value.pattern.decode("latin-1")
        entry = (text, value.flags & (re.IGNORECASE | re.MULTILINE | re.DOTALL | re.VERBOSE))
        if entry not in found.values():
            found[where if where not in found else f"{where}, {len(found)}"] = entry
    elif depth == 0:
        return
    elif isinstance(value, tuple | list | set | frozenset):
        for item in value:
            _collect(item, where, found, depth - 1)
    elif isinstance(value, dict):
        for item in (*value, *value.values()):
            _collect(item, where, found, depth - 1)
    elif not isinstance(value, type) and hasattr(type(value), "__dataclass_fields__"):
        for name in type(value).__match_args__:
            _collect(getattr(value, name, None), f"{where}.{name}", found, depth - 1)


def growth(pattern: str, flags: int, *, search: bool = False) -> tuple[float, str]:
    """The most by which the steps grow that are added when the text is doubled, and the attack that shows it."""
    worst = (0.0, "")
    for before, unit in attacks(pattern, flags):
        once, twice, four_times = (
            steps(pattern, flags, before + unit * TIMES * times + BREAKER, search=search) for times in (1, 2, 4)
        )
        grown = MOST if four_times == MOST else (four_times - twice) / max(twice - once, 1)
        worst = max(worst, (grown, f"{before!r} and {unit!r} again and again"))
    return worst


def test_all_patterns_are_known() -> None:
    """Should the search for them fail, the test below would prove nothing."""
    found = patterns()
    assert len(found) > 300
    assert set(BOUNDED_OTHERWISE) <= set(found)


@pytest.mark.parametrize("pattern", [r"\s*a?\s*b", r"(a+)+b", r"\((.*)\.on\((.*)\)$", r"\w*_\w*_x"])
def test_a_pattern_that_grows_too_fast_is_told(pattern: str) -> None:
    assert growth(pattern, 0)[0] > LINEAR


@pytest.mark.slow
def test_patterns_take_linear_time() -> None:
    with recursion_limit(10_000):
        slow = {
            where: (pattern, *found)
            for where, (pattern, flags) in patterns().items()
            if where not in BOUNDED_OTHERWISE and (found := growth(pattern, flags))[0] > LINEAR
        }
    assert slow == {}


@pytest.mark.parametrize("pattern", [r"(Loss|Criterion)\w*$", r"fused_\w*cross", r"\d+x", r"\.to\([^)]*device"])
def test_a_search_that_begins_anew_too_often_is_told(pattern: str) -> None:
    assert growth(pattern, 0)[0] <= LINEAR
    assert growth(pattern, 0, search=True)[0] > LINEAR


@pytest.mark.parametrize("part", range(PARTS))
def test_searches_take_linear_time(part: int) -> None:
    """A search begins anew at each place of a text, and a name or a line in a repository may be megabytes long."""
    exempt = NEVER_SEARCHED | set(SEARCHED_IN_SHORT_TEXTS) | set(BOUNDED_OTHERWISE)
    with recursion_limit(10_000):
        slow = {
            where: (pattern, *found)
            for where, (pattern, flags) in list(patterns().items())[part::PARTS]
            if where.partition(",")[0] not in exempt and (found := growth(pattern, flags, search=True))[0] > LINEAR
        }
    assert slow == {}


@pytest.mark.parametrize("where", sorted(NEVER_SEARCHED))
def test_patterns_that_would_be_slow_are_never_searched(where: str) -> None:
    assert where in {known.partition(",")[0] for known in patterns()}
    name = where.rpartition(".")[2]
    module = where.partition("." + name)[0].removesuffix(".FRAMEWORKS")
    text = Path(importlib.import_module(module).__file__ or "").read_text(encoding="utf-8")
    assert not re.search(rf"\b{name}\.(search|finditer|findall|sub|subn|split)\(", text)
