"""Annotations of GitHub Actions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.report.toys import BROKEN, COPY, ITEM, settings, sources
from trainlint.finding import Finding, Report, Severity, Span
from trainlint.report import Settings, render


def lines(report: Report, to: Settings | None = None) -> list[str]:
    return render(report, "github", sources=sources, rules=(), settings=to or settings()).splitlines()


def test_a_finding_is_an_annotation_on_its_line() -> None:
    assert lines(Report((ITEM,), (), 1)) == [
        "::warning file=src/train.py,line=9,endLine=9,col=18,endColumn=29,title=TRN201 item-in-training-step::"
        "`.item()` makes the host wait for the device in each training step.%0A"
        "(runs each training step: line 6: loop over train_loader → Trainer.step)"
    ]


def test_the_dearest_come_first_and_a_group_is_one_annotation_over_its_lines() -> None:
    second = replace(ITEM, span=Span(10, 9, 10, 20))
    item, copy = lines(Report((COPY, ITEM, second), (), 1))
    assert item.startswith("::warning file=src/train.py,line=9,endLine=10,title=TRN201 ")
    assert copy.startswith("::notice file=src/train.py,line=7,")
    by_path = lines(Report((COPY, ITEM, second), (), 1), replace(settings(), by_path=True))
    assert by_path == [copy, item]


@pytest.mark.parametrize(
    ("severity", "command"), [(Severity.ERROR, "error"), (Severity.WARNING, "warning"), (Severity.ADVICE, "notice")]
)
def test_severities_have_their_commands(severity: Severity, command: str) -> None:
    assert lines(Report((replace(COPY, severity=severity),), (), 1))[0].startswith(f"::{command} file=")


def test_a_finding_of_several_lines_has_no_columns() -> None:
    [line] = lines(Report((replace(ITEM, span=Span(6, 5, 9, 3)),), (), 1))
    assert "line=6,endLine=9,title=" in line


def test_nothing_in_a_path_or_message_can_start_another_command() -> None:
    odd = Finding(
        "TRN201",
        "item-in-training-step",
        "a,b:c%\n::error::x.py",
        Span(1, 1, 1, 2),
        "50%\r\n::set-env::",
        Severity.ERROR,
    )
    assert lines(Report((odd,), (), 1)) == [
        "::error file=a%2Cb%3Ac%25%0A%3A%3Aerror%3A%3Ax.py,line=1,endLine=1,col=1,endColumn=2,"
        "title=TRN201 item-in-training-step::50%25%0D%0A::set-env::"
    ]


def test_files_are_named_from_the_root_of_the_repository() -> None:
    inside = replace(settings(), directory="/projects/toy/training", repository="/projects/toy")
    assert lines(Report((ITEM,), (), 1), inside)[0].startswith("::warning file=training/src/train.py,")
    above = replace(ITEM, path="../tools/train.py")
    assert lines(Report((above,), (), 1), inside)[0].startswith("::warning file=tools/train.py,")
    outside = replace(ITEM, path="../../other/train.py")
    assert lines(Report((outside,), (), 1), inside)[0].startswith("::warning file=/projects/other/train.py,")


def test_failures_are_errors_and_a_clean_report_is_silent() -> None:
    assert lines(Report((), (BROKEN,), 1)) == [
        "::error file=src/broken.py,title=trainlint could not judge::"
        "could not judge src/broken.py: line 3 is no valid Python; mend it or exclude it"
    ]
    assert lines(Report((), (), 1)) == []


def test_the_help_stands_apart_from_the_message() -> None:
    finding = replace(ITEM, message="`.item()` forces a GPU sync", help="log every N steps", chain=())
    text = render(Report((finding,), (), 1), "github", sources=sources, rules=(), settings=settings())
    assert "::`.item()` forces a GPU sync%0Ahelp: log every N steps%0A(runs each training step)\n" in text
