"""Verdicts come back from the probe's document as they went, and damage is refused in a sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.probe import samples
from trainlint.evidence.interval import Interval
from trainlint.evidence.places import Line
from trainlint.evidence.verdicts import Judged, State, Verdict
from trainlint.verdict_file import UnusableEvidence, read_evidence
from trainlint_probe.report.document import document
from trainlint_probe.result import Result

JUDGED = Judged("training", {"train.py": "ab12"})
ONLY_IN_A_RUN = replace(samples.LOADING, code="TRNP101", name="loader-starvation", new=True)


def text_of(*verdicts: Verdict, steps: int = 30) -> str:
    return document(Result((samples.run(steps=steps),), verdicts, judged=JUDGED))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "evidence.json"


@pytest.mark.parametrize("verdict", samples.VERDICTS, ids=lambda verdict: verdict.code)
def test_any_verdict_comes_back_as_it_went(path: Path, verdict: Verdict) -> None:
    path.write_text(text_of(verdict))
    evidence = read_evidence(path)
    assert evidence.verdicts == (verdict,)
    assert evidence.judged == JUDGED
    assert evidence.file == str(path)


def test_what_only_a_run_shows_is_about_no_finding(path: Path) -> None:
    path.write_text(text_of(ONLY_IN_A_RUN, samples.LOADING))
    assert read_evidence(path).verdicts == (samples.LOADING,)


@pytest.mark.parametrize(
    ("steps", "said"),
    [(30, "30 steps of train.py on cuda"), (1, "1 step of train.py on cuda"), (0, "0 steps of train.py on cuda")],
)
def test_the_run_is_told_by_its_steps_and_its_device(path: Path, steps: int, said: str) -> None:
    path.write_text(text_of(steps=steps))
    assert read_evidence(path).run == said


def test_a_trace_alone_is_evidence(path: Path) -> None:
    path.write_text(document(Result((), (samples.READING,), judged=JUDGED)))
    assert read_evidence(path).run == "by a trace"


def test_a_cost_without_a_bound_has_none(path: Path) -> None:
    endless = replace(samples.LOADING, cost=Interval(1.0, float("inf")))
    path.write_text(text_of(endless))
    assert read_evidence(path).verdicts == (endless,)


def test_a_run_that_was_cut_short_is_told(path: Path) -> None:
    path.write_text(text_of())
    assert read_evidence(path).cut_short == ""
    path.write_text(mended(lambda whole: whole["runs"][0].update(outcome="too short")))
    assert read_evidence(path).cut_short == "the script ended too early"


def test_keys_that_are_not_known_are_passed_over(path: Path) -> None:
    path.write_text(mended(lambda whole: whole["verdicts"][0].update(mood="sad"), lambda whole: whole.update(more=1)))
    assert read_evidence(path).verdicts == (samples.LOADING,)


def mended(*changes: Callable[[dict[str, Any]], object]) -> str:
    """A document with one verdict, in which something was changed."""
    whole = json.loads(text_of(samples.LOADING))
    for change in changes:
        change(whole)
    return json.dumps(whole)


DAMAGED = {
    "is not JSON (": text_of(samples.LOADING)[:-40],
    "was not written by `trainlint probe`": "[1, 2]",
    "has format 1, and this trainlint reads format 3; run `trainlint probe": mended(
        lambda whole: whole.update(format_version=1)
    ),
    "is too old: it does not say which files it is about": mended(lambda whole: whole.pop("judged")),
    "verdicts is missing": mended(lambda whole: whole.pop("verdicts")),
    "verdicts[0].state is missing": mended(lambda whole: whole["verdicts"][0].pop("state")),
    "verdicts[0].state should be one of 'confirmed', 'refuted'": mended(
        lambda whole: whole["verdicts"][0].update(state="guilty")
    ),
    'verdicts[0].at.line should be a whole number, and is "31"': mended(
        lambda whole: whole["verdicts"][0]["at"].update(line="31")
    ),
    "verdicts[0].cost.low should be a number, and is true": mended(
        lambda whole: whole["verdicts"][0]["cost"].update(low=True)
    ),
    "judged.digests['train.py'] should be a text, and is 3": mended(
        lambda whole: whole["judged"]["digests"].update({"train.py": 3})
    ),
    "runs[0] should be an object, and is null": mended(lambda whole: whole.update(runs=[None])),
}


@pytest.mark.parametrize(("said", "text"), DAMAGED.items(), ids=DAMAGED)
def test_damage_is_refused_with_the_place_and_what_to_do(path: Path, said: str, text: str) -> None:
    path.write_text(text)
    with pytest.raises(UnusableEvidence) as refused:
        read_evidence(path)
    assert str(path) in str(refused.value)
    assert said in str(refused.value)
    assert str(refused.value).endswith("run `trainlint probe --output-format json -o FILE train.py` again")


def test_what_is_no_text_or_not_there_is_refused(path: Path) -> None:
    with pytest.raises(UnusableEvidence, match=r"cannot be read \(No such file or directory\)"):
        read_evidence(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UnusableEvidence, match="is not JSON"):
        read_evidence(path)


def test_every_state_is_read(path: Path) -> None:
    each = tuple(replace(samples.LOADING, at=Line("train.py", 1), state=state, cost=None) for state in State)
    path.write_text(text_of(*each))
    assert {verdict.state for verdict in read_evidence(path).verdicts} == set(State)
