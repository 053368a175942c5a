"""Real-life files: the default rules, and the one that a folder is for, find exactly what `#! CODE` marks, by line.

    pytest tests/rules/test_cases.py -k TRN304

A finding is due on the line where the marker stands, the first line of what is found. Several codes share one marker,
as in `#! TRN201 TRN203`. Markers are taken out of the text before it is judged, so they are no comments to the rules.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.rules.catalogue import all_rules, judged, stated_for
from trainlint.rule import Rule

CASES = Path(__file__).parent.parent / "cases"
_SUFFIXES = (".py", ".yaml", ".yml")
FILES = sorted(path.relative_to(CASES).as_posix() for path in CASES.rglob("*") if path.suffix in _SUFFIXES)
FOLDERS = sorted(path.name for path in CASES.iterdir() if path.is_dir())

_MARKER = re.compile(r"[ \t]*#!((?:[ \t]+[A-Z]{2,8}\d{3})+)[ \t]*$")
_LOOKS_LIKE_MARKER = re.compile(r"#!(?!/)")

Due = set[tuple[int, str]]
"""Line and code."""


def read_case(path: Path) -> tuple[str, Due]:
    """A case's text without its markers, and what is due in it. Raises ValueError for a marker that is misspelled."""
    due: Due = set()
    lines = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        marker = _MARKER.search(line)
        if marker:
            due |= {(number, code) for code in marker.group(1).split()}
            line = line[: marker.start()]
        elif _LOOKS_LIKE_MARKER.search(line):
            raise ValueError(f"{path.name}:{number}: a marker reads `#! TRN201 TRN203`")
        lines.append(line)
    return "\n".join(lines), due


def rules_for(folder: str) -> list[type[Rule]]:
    """The rules that judge a folder's cases: those that are on by default, and the folder's own."""
    return [rule for rule in all_rules() if not rule.preview or rule.code == folder]


@pytest.mark.parametrize("file", FILES)
def test_what_is_marked_is_found_and_nothing_else(file: str) -> None:
    text, due = read_case(CASES / file)
    folder = file.partition("/")[0]
    config = next(stated_for(rule) for rule in all_rules() if rule.code == folder)
    verdicts = judged(text, *rules_for(folder), path=file, config=config)
    said = {(item.span.start_line, item.code): item for item in verdicts.findings}
    missed = [f"{file}:{line}: expected {code}, got nothing" for line, code in sorted(due - set(said))]
    wrong = [
        f"{file}:{line}: expected no {code}, got: {said[line, code].message} ({said[line, code].confidence})"
        for line, code in sorted(set(said) - due)
    ]
    assert not verdicts.failures
    assert "\n".join([*missed, *wrong]) == ""


def test_a_folder_of_cases_shows_its_rule_at_work_and_silent() -> None:
    assert set(FOLDERS) <= {rule.code for rule in all_rules()}
    due: dict[str, list[Due]] = {folder: [] for folder in FOLDERS}
    for file in FILES:
        due[file.partition("/")[0]].append(read_case(CASES / file)[1])
    marked = {folder: {code for case in cases for _, code in case} for folder, cases in due.items()}
    assert [folder for folder in FOLDERS if folder not in marked[folder]] == [], "no file marks a finding of them"
    assert [folder for folder in FOLDERS if set() not in due[folder]] == [], "no file of near misses without a marker"


def test_a_marker_is_no_comment_to_the_rules(tmp_path: Path) -> None:
    case = tmp_path / "case.py"
    case.write_text("x = 1  # kept  #! TRN201 TRN203\n#!/bin/sh\ny = 2\n", encoding="utf-8")
    assert read_case(case) == ("x = 1  # kept\n#!/bin/sh\ny = 2\n", {(1, "TRN201"), (1, "TRN203")})


def test_a_misspelled_marker_is_an_error(tmp_path: Path) -> None:
    case = tmp_path / "case.py"
    case.write_text("x = 1  #! trn201\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"case\.py:1: a marker reads"):
        read_case(case)
