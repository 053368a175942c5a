"""The JSON document keeps to its schema, and what a run was seen to do can be read back from it."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files
from math import inf
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, ValidationError

from docs import probe_schema
from tests.probe import samples
from tests.probe.any_run import anything, runs
from trainlint.evidence.as_json import from_json
from trainlint.evidence.interval import Interval
from trainlint.evidence.run import Environment, Run
from trainlint.evidence.verdicts import State, Verdict
from trainlint.finding import Failure
from trainlint_probe.report.document import document
from trainlint_probe.result import Ignored, Result, Unjudged
from trainlint_probe.traces.ranks import read_ranks
from trainlint_probe.traces.reading import read_trace

SCHEMA = json.loads((files("trainlint_probe.report") / "schema/probe.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
FULL = Result((samples.run(),), tuple(samples.VERDICTS))


def written(result: Result) -> dict[str, Any]:
    text = document(result)
    assert text.isascii()
    loaded: dict[str, Any] = json.loads(text)
    VALIDATOR.validate(loaded)
    return loaded


@pytest.mark.parametrize("command", probe_schema.DOCUMENTS)
def test_each_schema_is_a_schema_and_fresh(command: str) -> None:
    text = (files("trainlint_probe.report") / f"schema/{command}.schema.json").read_text(encoding="utf-8")
    Draft202012Validator.check_schema(json.loads(text))
    assert text == probe_schema.text(command), "run `python docs/probe_schema.py`"


def test_the_schema_says_what_fields_mean() -> None:
    step = SCHEMA["$defs"]["Step"]
    assert step["properties"]["phases"]["description"] == "Milliseconds; together `ms`."
    assert SCHEMA["$defs"]["State"]["enum"] == [state.value for state in State]


def test_a_document_holds_all_that_is_known() -> None:
    whole = written(FULL)
    assert whole["runs"][0]["steps"][0]["phases"]["data wait"] == 28.9
    assert [verdict["code"] for verdict in whole["verdicts"]] == ["TRN101", "TRN201", "TRN205", "TRN303", "TRN310"]
    assert whole["verdicts"][0]["cost"] == {"low": 26.1, "high": 36.2}
    assert whole["verdicts"][2]["cost"] is None
    assert whole["environment"]["facts"]["torch"] == "2.7.1+cu126"
    assert whole["reading"] is None


def test_what_could_not_be_judged_is_told_from_what_was_left_out() -> None:
    failure = Failure("src/data.py", "line 3: it is no Python", "TRN001", lasting=True)
    silent = Unjudged((failure,), {"vendor/a.py": "the configuration excludes it"}, Ignored(1, 2))
    whole = written(replace(FULL, unjudged=silent))
    assert whole["failures"] == [{"path": "src/data.py", "reason": "line 3: it is no Python", "rule": "TRN001"}]
    assert whole["left_out"] == {"vendor/a.py": "the configuration excludes it"}
    assert whole["ignored"] == {"by_comments": 1, "by_configuration": 2}


def test_a_trace_and_the_traces_of_ranks_are_told_apart(tmp_path: Path) -> None:
    path = samples.trace(tmp_path / "rank0.json", rank=0)
    alone = written(Result((), (), read_trace(path)))
    assert alone["reading"]["device"]["syncs"]["sites"][0]["source"]["path"] == "train.py"
    assert (alone["ranks"], alone["environment"]) == (None, None)
    samples.trace(tmp_path / "rank1.json", rank=1)
    together = written(Result((), (), read_ranks(tmp_path)))
    assert [reading["rank"] for reading in together["ranks"]["ranks"]] == [0, 1]
    assert together["reading"] is None


def test_a_time_that_is_no_number_is_null() -> None:
    endless = replace(samples.LOADING, cost=Interval(1.0, inf))
    assert written(Result((), (endless,)))["verdicts"][0]["cost"] == {"low": 1.0, "high": None}


@pytest.mark.parametrize(
    ("place", "wrong"),
    [(("runs", 0, "outcome"), 3), (("verdicts", 0, "state"), "guilty")],
)
def test_the_schema_refuses_what_is_no_document(place: tuple[str, int, str], wrong: object) -> None:
    whole = written(FULL)
    part, number, name = place
    whole[part][number][name] = wrong
    with pytest.raises(ValidationError):
        VALIDATOR.validate(whole)


@settings(max_examples=60, deadline=None)
@given(st.lists(runs(), max_size=2))
def test_any_run_comes_back_as_it_went(these: list[Run]) -> None:
    whole = written(Result(tuple(these), ()))
    assert [from_json(run, Run) for run in whole["runs"]] == these
    if these:
        assert from_json(whole["environment"], Environment) == these[0].environment


@settings(max_examples=60, deadline=None)
@given(anything(Verdict))
def test_any_verdict_comes_back_as_it_went(verdict: Verdict) -> None:
    (back,) = written(Result((), (verdict,)))["verdicts"]
    assert from_json(back, Verdict) == verdict
