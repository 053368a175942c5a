"""The JSON report keeps to its schema, and the page about it to both."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.report.toys import BROKEN, COPY, CRASHED, ITEM, settings, sources
from trainlint.baseline.identity import Identities
from trainlint.finding import Confidence, Edit, Finding, Fix, Heat, RelatedPlace, Report, Safety, Severity, Span
from trainlint.report import render

REPOSITORY = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((files("trainlint.report") / "schema/check.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)

FULL_REPORT = Report((COPY, ITEM), (BROKEN, CRASHED), files=12, training=4, in_step=2, suppressed=3, fixed=1)


def document(report: Report) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(render(report, "json", sources=sources, rules=(), settings=settings()))
    return loaded


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("report", [FULL_REPORT, Report((), (), 0)], ids=["full", "empty"])
def test_reports_are_valid(report: Report) -> None:
    VALIDATOR.validate(document(report))


def test_every_heat_severity_and_safety_is_in_the_schema() -> None:
    for heat, severity, safety in product(Heat, Severity, Safety):
        fix = Fix("mend", (Edit(0, 1, "é"),), safety)
        finding = Finding(
            "ACME001", "slow-call", "é.py", Span(1, 1, 1, 2), "m", severity, heat, Confidence.POSSIBLE, (), fix
        )
        VALIDATOR.validate(document(Report((finding,), (), 1)))


def test_a_finding_holds_all_that_is_known() -> None:
    assert document(FULL_REPORT)["findings"][0] == {
        "id": Identities(sources, settings().directory).id_of(COPY),
        "code": "TRN205",
        "name": "blocking-batch-copy",
        "path": "src/train.py",
        "cell": None,
        "span": {"start_line": 7, "start_column": 22, "end_line": 7, "end_column": 38},
        "message": "The host waits for this copy.",
        "help": None,
        "severity": "advice",
        "heat": "step",
        "confidence": "likely",
        "chain": [],
        "fix": {
            "title": "copy without waiting",
            "safety": "safe",
            "edits": [{"cell": None, "start": 139, "stop": 150, "text": ".to(device, non_blocking=True)"}],
            "diff": (
                "--- a/src/train.py\n+++ b/src/train.py\n@@ -4,7 +4,7 @@\n"
                " def train(model, train_loader, optimizer, device):\n"
                "     total = 0.0\n"
                "     for batch in train_loader:\n"
                "-        loss = model(batch.to(device))\n"
                "+        loss = model(batch.to(device, non_blocking=True))\n"
                "         loss.backward()\n"
                "         total += loss.item()\n"
                "         optimizer.step()\n"
            ),
        },
        "related": [],
        "url": "https://github.com/trainlint/trainlint/blob/main/docs/rules/blocking-batch-copy.md",
        "group": None,
        "rank": 2,
    }


def test_related_places_are_listed() -> None:
    place = RelatedPlace("src/lo é.py", 31, 9, "calls `step`")
    written = document(Report((replace(ITEM, related=(place,)),), (), 1))
    VALIDATOR.validate(written)
    assert written["findings"][0]["related"] == [
        {"path": "src/lo é.py", "cell": None, "line": 31, "column": 9, "message": "calls `step`"}
    ]


def test_findings_of_a_group_name_each_other_and_keep_their_places() -> None:
    second = replace(ITEM, span=Span(10, 9, 10, 20), fix=None)
    written = document(Report((COPY, replace(ITEM, fix=None), second), (), 1))
    VALIDATOR.validate(written)
    copy, first, other = written["findings"]
    assert (copy["group"], first["group"], other["group"]) == (None, first["id"], first["id"])
    assert (copy["rank"], first["rank"], other["rank"]) == (2, 1, 1)
    assert [place["line"] for place in first["related"]] == [10]
    assert [place["line"] for place in other["related"]] == [9]
    assert first["id"] != other["id"]


def test_the_counts_add_up() -> None:
    assert document(FULL_REPORT)["counts"] == {
        "files": 12,
        "training_files": 4,
        "step_files": 2,
        "findings": 2,
        "groups": 2,
        "left_out": 0,
        "failures": 2,
        "suppressed": 3,
        "fixed": 1,
        "fixable": {"safe": 1, "numerics": 0, "unsafe": 1},
        "by_code": {"TRN201": 1, "TRN205": 1},
    }


def test_failures_say_which_rule_failed() -> None:
    assert [failure["rule"] for failure in document(FULL_REPORT)["failures"]] == [None, "TRN205"]


def test_a_rule_of_another_pack_has_no_page_of_ours() -> None:
    finding = Finding("ACME001", "slow-call", "a.py", Span(1, 1, 1, 2), "m", Severity.ERROR)
    assert document(Report((finding,), (), 1))["findings"][0]["url"] is None


def test_any_file_name_survives_any_stream() -> None:
    finding = Finding("ACME001", "slow-call", "caf\udce9/入力.py", Span(1, 1, 1, 2), "m", Severity.ERROR)
    text = render(Report((finding,), (), 1), "json", sources=sources, rules=(), settings=settings())
    assert text.isascii()
    assert json.loads(text)["findings"][0]["path"] == "caf\udce9/入力.py"


def test_every_key_that_is_written_is_in_the_schema() -> None:
    def undeclared(value: Any, schema: dict[str, Any], place: str) -> list[str]:
        while "$ref" in schema:
            schema = SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]]
        if "anyOf" in schema:
            return undeclared(value, schema["anyOf"][0], place) if value is not None else []
        if isinstance(value, list):
            return [key for item in value for key in undeclared(item, schema["items"], place)]
        if not isinstance(value, dict) or "additionalProperties" in schema:
            return []
        found = [f"{place}.{key}" for key in value if key not in schema["properties"]]
        for key in value.keys() & schema["properties"].keys():
            found += undeclared(value[key], schema["properties"][key], f"{place}.{key}")
        return found

    assert undeclared(document(FULL_REPORT), SCHEMA, "") == []
    assert undeclared(document(FULL_REPORT) | {"surprise": 1}, SCHEMA, "") == [".surprise"]


def test_the_page_about_the_format_shows_a_valid_example_and_names_every_key() -> None:
    page = (REPOSITORY / "docs/json-schema.md").read_text(encoding="utf-8")
    example = re.search(r"```json\n(.*?)```", page, re.DOTALL)
    assert example
    VALIDATOR.validate(json.loads(example.group(1)))

    def keys(schema: dict[str, Any]) -> set[str]:
        inner = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values()]
        return set(schema.get("properties", {})).union(*(keys(each) for each in inner))

    assert {key for key in keys(SCHEMA) if f"`{key}`" not in page} == set()
