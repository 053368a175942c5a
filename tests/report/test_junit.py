"""JUnit's XML."""

from __future__ import annotations

from dataclasses import replace
from xml.etree.ElementTree import Element, fromstring

from tests.report.toys import BROKEN, COPY, ITEM, settings, sources
from trainlint.baseline.identity import Identities
from trainlint.finding import Report
from trainlint.report import render


def suites(report: Report) -> Element:
    return fromstring(render(report, "junit", sources=sources, rules=(), settings=settings()))


def counts(element: Element) -> tuple[str | None, ...]:
    return tuple(element.get(name) for name in ("tests", "failures", "errors"))


def test_each_file_is_a_suite_and_each_finding_a_failed_case() -> None:
    elsewhere = replace(ITEM, path="src/other.py")
    root = suites(Report((COPY, ITEM, elsewhere), (), 2))
    assert counts(root) == ("3", "3", "0")
    assert [(suite.get("name"), counts(suite)) for suite in root] == [
        ("src/train.py", ("2", "2", "0")),
        ("src/other.py", ("1", "1", "0")),
    ]
    case = root[0][1]
    assert dict(case.attrib) == {
        "name": "TRN201 item-in-training-step line 9",
        "classname": "src/train.py",
        "file": "src/train.py",
        "line": "9",
    }
    assert dict(case[0].attrib) == {
        "message": "`.item()` makes the host wait for the device in each training step.",
        "type": "warning",
    }
    text = case[0].text or ""
    assert text.splitlines()[0] == "src/train.py:9:18"
    assert text.splitlines()[-2:] == [
        "runs each training step: line 6: loop over train_loader → Trainer.step",
        f"id: {Identities(sources, settings().directory).id_of(ITEM)}",
    ]


def test_what_could_not_be_judged_is_an_error() -> None:
    root = suites(Report((), (BROKEN,), 1))
    assert counts(root) == ("1", "0", "1")
    error = root[0][0][0]
    assert error.tag == "error"
    assert "src/broken.py" in error.attrib["message"]


def test_a_clean_run_is_a_case_that_passed() -> None:
    """Services take a report without cases for a run that did not happen."""
    root = suites(Report((), (), 5))
    assert counts(root) == ("1", "0", "0")
    assert len(root[0][0]) == 0


def test_characters_that_xml_forbids_are_written_as_escapes() -> None:
    root = suites(Report((replace(ITEM, message="a\x00b\x1b[2J\udcff\ufffe<&>"),), (), 1))
    assert root[0][0][0].get("message") == "a\\x00b\\x1b[2J\\udcff?<&>"
