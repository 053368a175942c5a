"""Real-life files: the default rules, and the one that a folder is for, find exactly what `#! CODE` marks, by line.

    pytest tests/rules/test_cases.py -k TRN304

A finding is due on the line where the marker stands, the first line of what is found. Several codes share one marker,
as in `#! TRN201 TRN203`. Markers are taken out of the text before it is judged, so they are no comments to the rules.
`known_wrong.txt` lists where a rule is known to be wrong: `-` what it misses, `+` what it finds and should not. After a
change, write the list anew and read what changed:

    python -m tests.rules.test_cases
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.rules.catalogue import all_rules, judged, stated_for
from trainlint.rule import Rule

CASES = Path(__file__).parent.parent / "cases"
_SUFFIXES = (".py", ".yaml", ".yml")
FILES = sorted(path.relative_to(CASES).as_posix() for path in CASES.rglob("*") if path.suffix in _SUFFIXES)
KNOWN_WRONG = Path(__file__).parent / "known_wrong.txt"
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


def differences(file: str) -> Iterator[str]:
    """Where what is found in a case differs from what its markers say."""
    text, due = read_case(CASES / file)
    folder = file.partition("/")[0]
    config = next(stated_for(rule) for rule in all_rules() if rule.code == folder)
    verdicts = judged(text, *rules_for(folder), path=file, config=config)
    assert not verdicts.failures
    found = {(item.span.start_line, item.code) for item in verdicts.findings}
    for line, code in sorted(due ^ found):
        yield f"{'-' if (line, code) in due else '+'} {file}:{line} {code}"


def known_differences(file: str) -> list[str]:
    """Those that are listed as known."""
    return [line for line in KNOWN_WRONG.read_text(encoding="utf-8").splitlines() if f" {file}:" in line]


@pytest.mark.parametrize("file", FILES)
def test_what_is_marked_is_found_and_nothing_else(file: str) -> None:
    assert list(differences(file)) == known_differences(file)


def test_what_is_known_to_be_wrong_is_of_cases_that_exist() -> None:
    listed = KNOWN_WRONG.read_text(encoding="utf-8").splitlines()
    assert sorted(listed) == sorted(line for file in FILES for line in known_differences(file))


def test_a_folder_of_cases_shows_its_rule_at_work_and_silent() -> None:
    assert set(FOLDERS) <= {rule.code for rule in all_rules()}
    due: dict[str, list[Due]] = {folder: [] for folder in FOLDERS}
    for file in FILES:
        due[file.partition("/")[0]].append(read_case(CASES / file)[1])
    marked = {folder: {code for case in cases for _, code in case} for folder, cases in due.items()}
    assert [folder for folder in FOLDERS if folder not in marked[folder]] == [], "no file marks a finding of them"
    silent = [folder for folder in FOLDERS if any(folder not in {code for _, code in case} for case in due[folder])]
    assert silent == FOLDERS, "each folder has a file in which its rule finds nothing"


def test_a_marker_is_no_comment_to_the_rules(tmp_path: Path) -> None:
    case = tmp_path / "case.py"
    case.write_text("x = 1  # kept  #! TRN201 TRN203\n#!/bin/sh\ny = 2\n", encoding="utf-8")
    assert read_case(case) == ("x = 1  # kept\n#!/bin/sh\ny = 2\n", {(1, "TRN201"), (1, "TRN203")})


def test_a_misspelled_marker_is_an_error(tmp_path: Path) -> None:
    case = tmp_path / "case.py"
    case.write_text("x = 1  #! trn201\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"case\.py:1: a marker reads"):
        read_case(case)


if __name__ == "__main__":
    KNOWN_WRONG.write_text("".join(f"{line}\n" for file in FILES for line in differences(file)), encoding="utf-8")
    sys.stdout.write(KNOWN_WRONG.read_text(encoding="utf-8"))
