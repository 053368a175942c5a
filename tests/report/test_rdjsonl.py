"""Diagnostics for reviewdog."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from tests.report.toys import BROKEN, COPY, ITEM, SOURCE, edit_of, settings, sources
from trainlint.finding import Fix, RelatedPlace, Report, Safety
from trainlint.report import render
from trainlint.source import SourceFile, source_from_text


def entries(report: Report, source: SourceFile = SOURCE) -> list[dict[str, Any]]:
    text = render(report, "rdjsonl", sources=lambda _: source, rules=(), settings=settings())
    return [json.loads(line) for line in text.splitlines()]


def replaced(source: SourceFile, suggestion: dict[str, Any]) -> str:
    """The text after a suggestion, as reviewdog applies it: lines and bytes."""
    lines = source.text.encode().splitlines(keepends=True)
    start, end = suggestion["range"]["start"], suggestion["range"]["end"]
    before = b"".join(lines[: start["line"] - 1]) + lines[start["line"] - 1][: start["column"] - 1]
    after = lines[end["line"] - 1][end["column"] - 1 :] + b"".join(lines[end["line"] :])
    text: str = (before + suggestion["text"].encode() + after).decode()
    return text


def test_a_finding_with_its_place_and_page() -> None:
    (entry,) = entries(Report((COPY,), (), 1))
    suggestion = entry.pop("suggestions")
    assert len(suggestion) == 1
    assert entry == {
        "message": "The host waits for this copy.\n(runs each training step)",
        "location": {
            "path": "src/train.py",
            "range": {"start": {"line": 7, "column": 22}, "end": {"line": 7, "column": 38}},
        },
        "severity": "INFO",
        "source": {"name": "trainlint", "url": "https://github.com/trainlint/trainlint"},
        "code": {
            "value": "TRN205",
            "url": "https://github.com/trainlint/trainlint/blob/main/docs/rules/blocking-batch-copy.md",
        },
    }


def test_a_suggestion_is_the_whole_fix() -> None:
    (entry,) = entries(Report((ITEM,), (), 1))
    (suggestion,) = entry["suggestions"]
    expected = SOURCE.text.replace("total = 0.0", "total = torch.zeros((), device=device)")
    expected = expected.replace("loss.item()", "loss.detach()").replace("return total", "return total.item()")
    assert replaced(SOURCE, suggestion) == expected


def test_columns_count_bytes() -> None:
    source = source_from_text("src/train.py", 'name = "ü"; copy(x)\n')
    start = source.text.index("copy")
    finding = replace(
        COPY,
        span=source.span(start, start + 7),
        fix=Fix("wait not", (edit_of("copy(x)", "copy(x, wait=False)", source),), Safety.SAFE),
    )
    (entry,) = entries(Report((finding,), (), 1), source)
    assert entry["location"]["range"]["start"]["column"] == start + 2
    assert replaced(source, entry["suggestions"][0]) == 'name = "ü"; copy(x, wait=False)\n'


def test_a_fix_that_reaches_far_is_no_suggestion() -> None:
    source = source_from_text("src/train.py", "import torch\n" + "pass\n" * 40 + "copy(x)\n")
    edits = (edit_of("import torch", "import torch, math", source), edit_of("copy(x)", "paste(x)", source))
    finding = replace(COPY, fix=Fix("far", edits, Safety.SAFE))
    (entry,) = entries(Report((finding,), (), 1), source)
    assert "suggestions" not in entry


def test_related_places_and_failures() -> None:
    related = replace(ITEM, related=(RelatedPlace("src/loop.py", 4, 9, "calls `step` in every training step"),))
    finding, failure = entries(Report((related,), (BROKEN,), 2))
    assert finding["related_locations"] == [
        {
            "message": "calls `step` in every training step",
            "location": {"path": "src/loop.py", "range": {"start": {"line": 4}}},
        }
    ]
    assert failure["severity"] == "ERROR"
    assert failure["location"] == {"path": "src/broken.py"}


def test_a_text_that_is_gone_leaves_lines() -> None:
    text = render(Report((ITEM,), (), 1), "rdjsonl", sources=lambda _: None, rules=(), settings=settings())
    entry = json.loads(text)
    assert entry["location"]["range"] == {"start": {"line": 9}, "end": {"line": 9}}
    assert "suggestions" not in entry


def test_a_clean_report_is_empty() -> None:
    assert render(Report((), (), 1), "rdjsonl", sources=sources, rules=(), settings=settings()) == ""
