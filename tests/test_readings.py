"""The table of readings in docs/accuracy.md and the rules agree: a rule is on only where reading showed it right."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from trainlint.packs import load_rules
from trainlint.rule import EngineRule

PAGE = Path(__file__).resolve().parent.parent / "docs" / "accuracy.md"
ROW = re.compile(
    r"^\| (?P<code>TRN\d{3}) \| (?P<name>[a-z0-9-]+) \| (?P<found>\d+) \| (?P<read>\d+) \| (?P<right>\d+) \| "
    r"(?P<doubtful>\d+) \| (?P<wrong>\d+) \| (?P<state>on|preview) \|",
    re.MULTILINE,
)
ENOUGH = 15
RIGHT_ENOUGH = 0.9
PROVED_BY_TEXT = frozenset({"TRN509", "TRN601"})
"""What these rules say is written in the code that they report: they may be on before anybody read their findings."""


@dataclass(frozen=True)
class Reading:
    """One row of the table."""

    code: str
    name: str
    found: int
    read: int
    right: int
    doubtful: int
    wrong: int
    state: str


def readings() -> list[Reading]:
    return [
        Reading(
            code=row["code"],
            name=row["name"],
            found=int(row["found"]),
            read=int(row["read"]),
            right=int(row["right"]),
            doubtful=int(row["doubtful"]),
            wrong=int(row["wrong"]),
            state=row["state"],
        )
        for row in ROW.finditer(PAGE.read_text(encoding="utf-8"))
    ]


def test_each_row_adds_up() -> None:
    wrong = [item for item in readings() if item.right + item.doubtful + item.wrong != item.read]
    assert wrong == []
    # Of rules in preview, some were read below the default confidence, at which nothing is found.
    assert [item for item in readings() if item.read > item.found and item.state == "on"] == []


def test_every_rule_that_is_on_was_read_and_every_row_says_its_state() -> None:
    judging = [rule for rule in load_rules() if rule.code.startswith("TRN") and not issubclass(rule, EngineRule)]
    rows = {(item.code, item.name): item.state for item in readings()}
    states = {(rule.code, rule.name): "preview" if rule.preview else "on" for rule in judging}
    on = {rule for rule, state in states.items() if state == "on"}
    assert on - set(rows) == set(), "a rule is on that nobody has read"
    assert [rule for rule in rows if states.get(rule) != rows[rule]] == []


def test_a_rule_is_on_only_where_nine_in_ten_of_enough_findings_were_right() -> None:
    on = [item for item in readings() if item.state == "on" and item.code not in PROVED_BY_TEXT]
    assert [item for item in on if item.read < min(ENOUGH, item.found) or item.read == 0] == []
    assert [item for item in on if item.right < RIGHT_ENOUGH * item.read] == []
