"""The rule index agrees with the rules that exist: each code once, under its own name, marked where it is written."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from trainlint.packs import load_rules

INDEX = Path(__file__).resolve().parent.parent / "docs" / "rules-index.md"
ROW = re.compile(r"^\| (?P<code>TRNP?\d{3})(?P<written> ★)? \| (?P<name>[a-z0-9-]+) \|", re.MULTILINE)
ROWS = list(ROW.finditer(INDEX.read_text(encoding="utf-8")))


def test_no_code_and_no_name_stands_twice() -> None:
    assert [code for code, times in Counter(row["code"] for row in ROWS).items() if times > 1] == []
    assert [name for name, times in Counter(row["name"] for row in ROWS).items() if times > 1] == []


def test_the_marked_rows_are_the_rules_that_exist() -> None:
    marked = {(row["code"], row["name"]) for row in ROWS if row["written"]}
    own = {(rule.code, rule.name) for rule in load_rules() if rule.code.startswith("TRN")}
    assert marked == own
