"""What to do first goes by what it could gain, and is said with how sure that is."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from pathlib import Path

from tests.probe import samples
from trainlint.evidence import Cores, Interval, Line, Reference, State, Verdict
from trainlint.report.settings import Style
from trainlint_probe.report.first import first_line, to_do_first
from trainlint_probe.report.terminal import render
from trainlint_probe.report.terminal_trace import render_trace
from trainlint_probe.result import EVERYTHING_JUDGED
from trainlint_probe.traces.reading import read_trace

STEP_MS = 50.0
SMALL = replace(
    samples.LOADING, code="TRN301", at=Line("a.py", 5), cost=Interval(2.2, 2.4), share=Interval(0.044, 0.048)
)
LARGE = replace(samples.READING, code="TRN205", at=Line("b.py", 9), cost=Interval(0.0, 40.0), share=Interval(0.0, 0.8))
PROOF = replace(SMALL, code="TRN606", at=Line("c.py", 7), cost=None, share=None)


def codes(*verdicts: Verdict) -> list[str]:
    return [item.said.code for item in to_do_first(verdicts, STEP_MS)]


def test_what_may_gain_most_comes_before_a_trifle_that_is_sure() -> None:
    assert codes(SMALL, LARGE) == ["TRN205", "TRN301"]
    assert codes(SMALL, replace(LARGE, cost=Interval(0.0, 3.0))) == ["TRN301", "TRN205"]


def test_what_is_proved_without_a_time_counts_as_what_just_matters() -> None:
    trifle = replace(LARGE, code="TRN209", cost=Interval(0.0, 0.9), share=Interval(0.0, 0.018))
    assert codes(trifle, PROOF, SMALL) == ["TRN301", "TRN606", "TRN209"]


def test_what_is_refuted_or_was_not_measured_is_never_first() -> None:
    assert codes(samples.EVALUATION, samples.SAVING, samples.COPYING) == []


def test_without_an_upper_bound_the_lower_one_counts() -> None:
    endless = replace(LARGE, cost=Interval(0.1, inf))
    assert codes(endless, SMALL) == ["TRN301", "TRN205"]


def test_two_that_say_the_same_stand_once_by_the_larger() -> None:
    only_in_a_run = replace(
        LARGE, code="TRNP101", new=True, same_as=Reference("TRN301", SMALL.at), state=State.INCONCLUSIVE
    )
    assert codes(SMALL, only_in_a_run, replace(PROOF, cost=Interval(9.0, 9.0))) == ["TRN301", "TRN606"]


def test_what_is_not_proved_is_said_to_be_so_with_the_largest_that_is() -> None:
    said = first_line(samples.run(), [SMALL, LARGE, PROOF], EVERYTHING_JUDGED)
    assert said.startswith("First: b.py:9, TRN205 item-in-training-step: 0 to 40 ms a step (0.0–80.0%), not proved. ")
    assert said.endswith(
        "Surely gained: a.py:5, TRN301 loader-without-workers: 2.2 to 2.4 ms a step (4.4–4.8%), confirmed."
    )
    assert first_line(samples.run(), [LARGE], EVERYTHING_JUDGED).endswith("Nothing is confirmed.")


def test_a_proof_without_a_time_says_that_none_was_measured() -> None:
    said = first_line(samples.run(), [PROOF], EVERYTHING_JUDGED)
    assert "c.py:7, TRN606 loader-without-workers: confirmed, though no time was measured that it costs." in said


def test_it_stands_in_the_second_line_and_a_busy_machine_before_the_first() -> None:
    lines = render([samples.run()], [SMALL], Style(200)).splitlines()
    assert lines[0].startswith("54.6 ms a step")
    assert lines[1].startswith("First: a.py:5, TRN301")
    busy = replace(samples.run(), cores=Cores(16, 3.0, others=12.0, waited=0.4))
    lines = render([busy], [SMALL], Style(300)).splitlines()
    assert lines[0].startswith("The machine was busy")
    assert lines[2].startswith("First: a.py:5, TRN301")


def test_a_trace_says_it_in_its_second_line_too(tmp_path: Path) -> None:
    text = render_trace(read_trace(samples.trace(tmp_path / "trace.json")), [SMALL], Style(200))
    assert text.splitlines()[1].startswith("First: a.py:5, TRN301 loader-without-workers: 2.2 to 2.4 ms a step")


def test_what_needs_a_gpu_takes_one_line_in_all() -> None:
    many = [replace(samples.COPYING, at=Line("train.py", line)) for line in range(1, 9)]
    text = " ".join(render([samples.run()], many, Style(200)).split())
    assert (
        "Only a CUDA device tells what waits for it; `--device simulated` counts it without one. This holds for "
        "train.py:1 TRN205, train.py:2 TRN205, train.py:3 TRN205, train.py:4 TRN205, train.py:5 TRN205 and 3 more."
    ) in text
    assert text.count("blocking-batch-copy") == 0
    assert render([samples.run()], many, Style(200), verbose=True).count("blocking-batch-copy") == 8


def test_a_line_that_ran_and_that_nothing_measures_is_no_line_that_did_not_run() -> None:
    ran = replace(samples.SAVING, state=State.UNMEASURED, sentence="the probe has no way to measure this")
    text = render([samples.run()], [ran], Style(200))
    assert "cannot be measured train.py:95  TRN310 checkpoint-in-training-step\n" in text
    assert "not observed" not in text
