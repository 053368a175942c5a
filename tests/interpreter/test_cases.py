"""What the rules say of the abstract run of each real-life case, against the markers of the case.

`differences.txt` lists each line that is marked and not found (`-`), or found and not marked (`+`), for the rules that
are asked about operations. Two rules count as one here if both are about waits, or both about copies to the device;
each rule about loaders stands for itself, with what it shows by default.
After a change of the run, write the list anew and read what changed:

    python -m tests.interpreter.test_cases
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tests.rules.catalogue import all_rules, source, stated_for
from tests.rules.test_cases import CASES, FILES, read_case
from trainlint.engine.judge import judge
from trainlint.finding import Confidence, Finding
from trainlint.interpreter.operations import execute_project

DIFFERENCES = Path(__file__).parent / "differences.txt"
_COPIES = frozenset({"TRN205", "TRN207", "TRN208", "TRN217", "TRN219"})
_LOADERS = frozenset({"TRN101", "TRN102", "TRN103"})


def _kind(code: str) -> str:
    return code if code in _LOADERS else "copy" if code in _COPIES else "wait"


def _is_shown(finding: Finding) -> bool:
    return finding.confidence >= Confidence.LIKELY


def differences(file: str) -> Iterator[str]:
    """The lines of a case on which the rules and the markers differ."""
    text, due = read_case(CASES / file)
    rules = [rule for rule in all_rules() if rule.happenings is not None]
    codes = {rule.code for rule in rules}
    folder = file.partition("/")[0]
    stated = next(stated_for(rule) for rule in all_rules() if rule.code == folder)
    config = replace(stated, min_confidence=Confidence.UNLIKELY)
    operations = execute_project([(file, ast.parse(text))]).operations.get(file, ())
    verdicts = judge(source(text, file), [rule() for rule in rules], config, operations=operations)
    assert not verdicts.failures
    marked = {(line, _kind(code)) for line, code in due if code in codes}
    told = [finding for finding in verdicts.findings if finding.code not in _LOADERS or _is_shown(finding)]
    found = {(finding.span.start_line, _kind(finding.code)) for finding in told}
    lines = text.split("\n")
    for line, kind in sorted(marked ^ found):
        sign = "-" if (line, kind) in marked else "+"
        yield f"{sign} {file}:{line} {kind}: {lines[line - 1].strip()}"


def _all_differences() -> str:
    return "\n".join(line for file in FILES for line in differences(file)) + "\n"


def test_the_abstract_run_differs_from_the_cases_where_the_list_says() -> None:
    assert _all_differences() == DIFFERENCES.read_text(encoding="utf-8")


if __name__ == "__main__":
    DIFFERENCES.write_text(_all_differences(), encoding="utf-8")
    sys.stdout.write(DIFFERENCES.read_text(encoding="utf-8"))
