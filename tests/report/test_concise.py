"""One line a finding, and the table of `--statistics`."""

from __future__ import annotations

from dataclasses import replace

from tests.report.toys import BROKEN, COPY, ITEM, RULES, settings, sources
from trainlint.finding import Report
from trainlint.report import FORMATS, render, render_statistics
from trainlint.report.words import summary

MANY = Report((COPY, ITEM, ITEM, replace(ITEM, fix=None)), (BROKEN,), 12, 4, 4)


def test_the_last_line_counts_everything() -> None:
    assert summary(MANY) == (
        "Found 2 problems at 4 places; 4 of 12 files train (1 fixable with --fix, 2 more with --fix --unsafe-fixes); "
        "not everything could be judged: 1 failure."
    )


def test_editors_find_path_line_column_and_the_flag_of_the_fix() -> None:
    report = Report((COPY, ITEM), (BROKEN,), 12, 4, 4)
    page = render(report, "concise", sources=sources, rules=(), settings=settings())
    expected = f"""\
src/train.py:9:18: TRN201 `.item()` makes the host wait for the device in each training step. [--fix --unsafe-fixes]
src/train.py:7:22: TRN205 The host waits for this copy. [--fix]
could not judge src/broken.py: line 3 is no valid Python; mend it or exclude it
{summary(report)}
"""
    assert page == expected


def test_a_finding_is_one_line_whatever_its_path_and_message() -> None:
    odd = replace(ITEM, path="a\nb\x1b[1m.py", message="two\nlines", fix=None)
    page = render(
        Report((odd,), (), 1), "concise", sources=sources, rules=(), settings=replace(settings(), summary=False)
    )
    assert page == '"a\\nb\\033[1m.py":9:18: TRN201 two lines\n'


def test_a_clean_report_says_so() -> None:
    assert (
        render(Report((), (), 3, 3, 3), "concise", sources=sources, rules=(), settings=settings())
        == "All clear: 3 of 3 files train.\n"
    )


def test_statistics_count_most_frequent_first_and_say_what_is_fixable() -> None:
    expected = f"""\
3  TRN201  item-in-training-step  [2 fixable with --fix --unsafe-fixes]
1  TRN205  blocking-batch-copy    [1 fixable with --fix]
could not judge src/broken.py: line 3 is no valid Python; mend it or exclude it
{summary(MANY)}
"""
    assert render_statistics(MANY, settings=settings()) == expected


def test_statistics_of_equal_counts_are_sorted_by_code() -> None:
    page = render_statistics(Report((replace(ITEM, code="TRN999"), COPY, ITEM), (), 1), settings=settings())
    assert [line.split()[1] for line in page.splitlines()[:3]] == ["TRN201", "TRN205", "TRN999"]


def test_every_format_renders_and_an_unknown_one_is_refused() -> None:
    import pytest

    for name in FORMATS:
        assert render(MANY, name, sources=sources, rules=RULES, settings=settings()).endswith("\n")
    with pytest.raises(ValueError, match="choose one of full, concise, agent, json, github, sarif"):
        render(MANY, "xml", sources=sources, rules=RULES, settings=settings())
