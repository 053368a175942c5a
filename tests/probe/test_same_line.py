"""Where the code and the run say the same of a line, people read it once, and programs read both."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.probe import samples
from tests.probe.samples import render, render_trace
from tests.rules.catalogue import all_rules
from trainlint.evidence.interval import Interval
from trainlint.evidence.places import Line
from trainlint.evidence.verdicts import Reference, State, Verdict
from trainlint.finding import Finding, Severity, Span
from trainlint.report.settings import Style
from trainlint.symptoms import Symptom
from trainlint_probe.judgement.same_line import SHOWN_BY, related
from trainlint_probe.report.document import document
from trainlint_probe.result import Result
from trainlint_probe.traces.reading import read_trace

SYMPTOMS = {rule.code: rule.confirmed_by for rule in all_rules()}
STARVED = Verdict(
    "TRNP101",
    "loader-starvation",
    Line("train.py", 31),
    State.CONFIRMED,
    "The step waits 28.9 ms of 53.1 ms (54.4%) for its batch; 2 workers or more would be ahead of it",
    cost=Interval(28.9, 28.9),
    share=Interval(0.544, 0.544),
    basis="timer",
    new=True,
)
FIXABLE = replace(samples.LOADING, fix="unsafe")


def finding(verdict: Verdict, *, last_line: int | None = None) -> Finding:
    line = verdict.at.line
    span = Span(line, 1, last_line or line, 20)
    return Finding(verdict.code, verdict.name, verdict.at.path, span, verdict.message, Severity.WARNING)


def partner(of_run: Verdict, *static: Verdict, last_line: int | None = None) -> Reference | None:
    """Which of the verdicts on findings says the same as one on what only a run shows."""
    found = [finding(item, last_line=last_line) for item in static]
    return related([of_run], found, static, SYMPTOMS)[0].same_as


class TestRelated:
    def test_a_starving_loader_is_the_one_without_workers(self) -> None:
        assert partner(STARVED, samples.READING, samples.LOADING) == Reference("TRN101", Line("train.py", 31))

    def test_a_call_over_several_lines_is_met_in_any_of_them(self) -> None:
        inside = replace(STARVED, at=Line("train.py", 33))
        assert partner(inside, samples.LOADING, last_line=34) == Reference("TRN101", Line("train.py", 31))
        assert partner(inside, samples.LOADING, last_line=32) is None

    @pytest.mark.parametrize("elsewhere", [Line("train.py", 30), Line("other.py", 31)])
    def test_another_line_is_another_defect(self, elsewhere: Line) -> None:
        assert partner(replace(STARVED, at=elsewhere), samples.LOADING) is None

    @pytest.mark.parametrize(
        ("state", "is_same"),
        [
            (State.CONFIRMED, True),
            (State.REFUTED, False),
            (State.INCONCLUSIVE, False),
            (State.UNMEASURED, False),
            (State.NOT_OBSERVED, False),
        ],
    )
    def test_a_finding_that_the_run_does_not_confirm_says_something_else(self, state: State, *, is_same: bool) -> None:
        assert (partner(STARVED, replace(samples.LOADING, state=state)) is not None) is is_same

    def test_two_doubts_on_a_line_are_one(self) -> None:
        doubtful = replace(STARVED, name="host-sync", at=samples.READING.at, state=State.INCONCLUSIVE)
        assert partner(doubtful, samples.READING) == Reference("TRN201", samples.READING.at)

    def test_a_copy_is_no_reason_to_wait_for_a_loader(self) -> None:
        assert partner(replace(STARVED, name="host-sync"), samples.LOADING) is None
        assert partner(replace(STARVED, name="memory-grows"), samples.LOADING) is None

    def test_the_finding_with_a_fix_is_the_one_to_read(self) -> None:
        other = replace(samples.LOADING, code="TRN102", name="loader-without-pinned-memory")
        symptoms = {**SYMPTOMS, "TRN102": frozenset({Symptom.DATA_WAIT})}
        (item,) = related([STARVED], [finding(other), finding(FIXABLE)], [other, FIXABLE], symptoms)
        assert item.same_as == Reference("TRN101", samples.LOADING.at)

    def test_what_is_related_is_what_a_run_alone_shows_and_rules_are_confirmed_by(self) -> None:
        assert set(SHOWN_BY) <= {rule.name for rule in all_rules() if rule.of_run}
        assert {"loader-starvation", "host-sync"} <= set(SHOWN_BY)
        of_rules = {symptom for symptoms in SYMPTOMS.values() for symptom in symptoms}
        only_runs = {Symptom.DEEP_COPY, Symptom.SLOW_SWITCH}  # no rule tells them
        assert set().union(*SHOWN_BY.values()) - only_runs <= of_rules


class TestShown:
    VERDICTS = (replace(STARVED, same_as=Reference("TRN101", samples.LOADING.at)), FIXABLE, samples.SAVING)

    def test_one_row_names_both_and_the_fix(self) -> None:
        text = " ".join(render([samples.run()], self.VERDICTS, Style(100)).split())
        assert "1 confirmed; 1 not observed." in text
        assert "confirmed train.py:31 TRN101 loader-without-workers, TRNP101 loader-starvation The step waits" in text
        assert "2 workers or more would be ahead of it." in text
        assert samples.LOADING.sentence[1:] not in text
        assert "To try its fix (unsafe): trainlint prove --fixes TRN101 SCRIPT " in text
        assert "To write it: trainlint check --select TRN101 --fix --unsafe-fixes train.py " in text

    def test_a_trace_cannot_be_run_again_to_try_a_fix(self, tmp_path: Path) -> None:
        reading = read_trace(samples.trace(tmp_path / "trace.json"))
        text = " ".join(render_trace(reading, self.VERDICTS, Style(100)).split())
        assert "To write its fix (unsafe): trainlint check --select TRN101 --fix --unsafe-fixes train.py" in text
        assert "prove" not in text

    def test_verbose_says_what_each_rests_on(self) -> None:
        text = " ".join(render([samples.run()], self.VERDICTS, Style(100), verbose=True).split())
        assert "TRN101: The step waits 26.10 to 36.20 ms for this loader" in text
        assert "TRNP101: The step waits 28.9 ms of 53.1 ms" in text

    def test_programs_get_both_and_how_they_belong_together(self) -> None:
        found = json.loads(document(Result((samples.run(),), self.VERDICTS)))["verdicts"]
        same_as = {item["code"]: item["same_as"] for item in found}
        assert same_as["TRNP101"] == {"code": "TRN101", "at": {"path": "train.py", "line": 31}}
        assert same_as["TRN101"] is None
        assert [item["fix"] for item in found if item["code"] == "TRN101"] == ["unsafe"]

    def test_what_stands_alone_stays(self) -> None:
        text = render([samples.run()], [self.VERDICTS[0], samples.SAVING], Style(100))
        assert "confirmed    train.py:31  TRNP101 loader-starvation\n" in text

    def test_a_fix_of_what_is_refuted_is_not_advertised(self) -> None:
        refuted = replace(FIXABLE, state=State.REFUTED)
        assert "its fix" not in render([samples.run()], [refuted], Style(100), verbose=True)
