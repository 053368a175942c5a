"""The summary for a comment on a pull request, or the page of a CI job."""

from __future__ import annotations

from dataclasses import replace

from markdown_it import MarkdownIt

from tests.report.toys import BROKEN, COPY, ITEM, settings, sources
from trainlint.evidence.interval import Interval
from trainlint.evidence.places import Line
from trainlint.evidence.verdicts import State, Verdict
from trainlint.finding import Compared, Finding, Measured, Report
from trainlint.report import render


def summary(report: Report) -> str:
    return render(report, "markdown", sources=sources, rules=(), settings=settings())


def html(report: Report) -> str:
    shown: str = MarkdownIt("gfm-like", {"linkify": False}).render(summary(report))
    return shown


def apart(finding: Finding, number: int) -> tuple[Finding, ...]:
    """So many findings like this one, each in a file of its own."""
    return tuple(replace(finding, path=f"src/train_{each}.py") for each in range(number))


def test_counts_and_the_dearest_findings() -> None:
    page = summary(Report((COPY, ITEM), (), 12))
    assert page.startswith(
        "## trainlint\n\nFound 2 problems; none of 12 files trains "
        "(1 fixable with --fix, 1 more with --fix --unsafe-fixes).\n\n### The dearest first\n\n1. [TRN201]"
    )
    assert " src/train.py:9:18: **`.item()` makes the host wait for the device in each training step.**\n" in page
    assert "   - runs each training step: line 6: loop over train\\_loader → Trainer.step\n" in page
    assert "- `trainlint probe SCRIPT` measures what each of these costs\n" in page
    assert "- `trainlint check --fix` (1 place, training stays bit-identical)\n" in page
    assert "<table>" not in html(Report((COPY, ITEM), (), 12))


def test_what_is_not_among_the_dearest_is_folded_up() -> None:
    report = Report((COPY, *apart(ITEM, 4)), (), 12)
    page = summary(report)
    assert "<details><summary>All 5 problems</summary>\n\n| rule |" in page
    assert "blocking-batch-copy.md) blocking-batch-copy | 1 | 1 | 1 fixable with --fix |" in page
    assert page.count("| src/train.py:7:22 |") == 1
    assert html(report).count("<table>") == 2
    assert html(report).count("<ol>") == 1


def test_what_is_new_since_a_revision_says_so() -> None:
    assert "### New since main, the dearest first" in summary(Report((ITEM,), (), 1, compared=Compared(base="main")))


def test_what_a_run_measured_stands_in_place_of_how_often_the_line_runs() -> None:
    at = Line(ITEM.path, 9)
    verdict = Verdict(ITEM.code, ITEM.name, at, State.CONFIRMED, "the host waits 31.3 ms here", Interval(30.0, 32.0))
    page = summary(Report((ITEM,), (), 1, measured=Measured("e.json", "20 steps", {ITEM: verdict})))
    assert "   - cost: confirmed: the host waits 31.3 ms here (20 steps)\n" in page
    assert "trainlint probe" not in page


def test_nothing_from_a_repository_is_markup() -> None:
    hostile = "](javascript:x) <img src=x> | # a ~~b~~ `c|d` @team"
    shown = html(Report(apart(replace(ITEM, path="a|b<i>.py", message=hostile), 4), (), 1))
    assert "<img" not in shown
    assert "<i>" not in shown
    assert "<s>" not in shown
    assert 'href="javascript' not in shown
    assert shown.count("<code>c|d</code>") == 5  # once for the dearest, which say the same, and all four in the table
    assert shown.count("<tr>") == 7  # two heads, a rule, four findings


def test_a_single_backquote_opens_nothing() -> None:
    shown = html(Report((replace(ITEM, message="an odd ` mark | <b>"),), (), 1))
    assert "an odd ` mark | &lt;b&gt;" in shown


def test_failures_are_named() -> None:
    page = summary(Report((), (BROKEN,), 1))
    assert "### Could not be judged\n\n- could not judge src/broken.py" in page


def test_a_long_list_is_cut_and_says_so() -> None:
    page = summary(Report(apart(ITEM, 301), (), 1))
    assert page.count("| src/train\\_") == 200
    assert "101 more problems are not listed here." in page


def test_a_clean_report_says_so() -> None:
    assert summary(Report((), (), 3, 3, 3)) == "## trainlint\n\nAll clear: 3 of 3 files train.\n"
