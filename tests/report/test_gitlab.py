"""Code Quality reports of GitLab."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from tests.report.toys import BROKEN, COPY, ITEM, settings, sources
from trainlint.baseline.identity import Identities
from trainlint.finding import Report, Severity, Span
from trainlint.report import Settings, render


def entries(report: Report, to: Settings | None = None) -> list[dict[str, Any]]:
    written: list[dict[str, Any]] = json.loads(
        render(report, "gitlab", sources=sources, rules=(), settings=to or settings())
    )
    return written


def test_a_finding_has_all_that_gitlab_asks_for() -> None:
    (entry,) = entries(Report((ITEM,), (), 1))
    assert entry.pop("fingerprint") == Identities(sources, settings().directory).id_of(ITEM)
    assert entry == {
        "description": "TRN201 `.item()` makes the host wait for the device in each training step.",
        "check_name": "TRN201",
        "severity": "major",
        "location": {"path": "src/train.py", "lines": {"begin": 9, "end": 9}},
    }


def test_an_error_is_critical_and_advice_minor() -> None:
    of_both = (replace(ITEM, severity=Severity.ERROR), replace(COPY, severity=Severity.ADVICE))
    assert [entry["severity"] for entry in entries(Report(of_both, (), 1))] == ["critical", "minor"]


def test_a_failure_is_a_blocker() -> None:
    (entry,) = entries(Report((), (BROKEN,), 1))
    assert (entry["severity"], entry["check_name"], entry["location"]["path"]) == (
        "blocker",
        "could-not-judge",
        BROKEN.path,
    )


def test_a_clean_report_is_an_empty_array() -> None:
    assert entries(Report((), (), 1)) == []


def test_no_two_entries_share_a_fingerprint() -> None:
    """GitLab takes two entries with one fingerprint for one."""
    twice = replace(ITEM, path="other/train.py")
    again = replace(ITEM, span=Span(9, 40, 9, 50))
    found = entries(Report((ITEM, again, twice, COPY), (BROKEN,), 2))
    assert len({entry["fingerprint"] for entry in found}) == len(found) == 5


def test_a_line_that_moves_keeps_its_fingerprint() -> None:
    def unread(path: str) -> None:
        return None

    moved = replace(ITEM, span=Span(20, 18, 20, 29))
    first, second = (
        json.loads(render(Report((finding,), (), 1), "gitlab", sources=unread, rules=(), settings=settings()))
        for finding in (ITEM, moved)
    )
    assert first[0]["fingerprint"] == second[0]["fingerprint"]
