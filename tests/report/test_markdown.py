"""The summary for the page of a CI job."""

from __future__ import annotations

from dataclasses import replace

from markdown_it import MarkdownIt

from tests.report.toys import BROKEN, COPY, ITEM, settings, sources
from trainlint.finding import Report, Span
from trainlint.report import render


def summary(report: Report) -> str:
    return render(report, "markdown", sources=sources, rules=(), settings=settings())


def html(report: Report) -> str:
    shown: str = MarkdownIt("gfm-like", {"linkify": False}).render(summary(report))
    return shown


def test_counts_rules_and_findings() -> None:
    page = summary(Report((COPY, ITEM), (), 12))
    assert page.startswith(
        "## trainlint\n\nFound 2 problems in 12 files, none with training code "
        "(1 fixable with --fix, 1 more with --fix --unsafe-fixes).\n"
    )
    assert "blocking-batch-copy.md) blocking-batch-copy | 1 | 1 fixable with --fix |" in page
    assert page.count("| src/train.py:9:18 |") == 1
    assert html(Report((COPY, ITEM), (), 12)).count("<table>") == 2


def test_nothing_from_a_repository_is_markup() -> None:
    hostile = "](javascript:x) <img src=x> | # a ~~b~~ `c|d` @team"
    shown = html(Report((replace(ITEM, path="a|b<i>.py", message=hostile),), (), 1))
    assert "<img" not in shown
    assert "<i>" not in shown
    assert "<s>" not in shown
    assert 'href="javascript' not in shown
    assert "<code>c|d</code>" in shown
    assert shown.count("<tr>") == 4  # two heads, a rule, a finding


def test_a_single_backquote_opens_nothing() -> None:
    shown = html(Report((replace(ITEM, message="an odd ` mark | <b>"),), (), 1))
    assert "an odd ` mark | &lt;b&gt;" in shown


def test_failures_are_named() -> None:
    page = summary(Report((), (BROKEN,), 1))
    assert "### Could not be judged\n\n- could not judge src/broken.py" in page


def test_a_long_list_is_cut_and_says_so() -> None:
    many = tuple(replace(ITEM, span=Span(line, 1, line, 2)) for line in range(1, 302))
    page = summary(Report(many, (), 1))
    assert page.count("| src/train.py:") == 200
    assert "101 more findings are not listed here." in page


def test_a_clean_report_says_so() -> None:
    assert summary(Report((), (), 3, 3)) == "## trainlint\n\nAll clear: 3 files with training code.\n"
