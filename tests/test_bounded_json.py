"""JSON that unpacks to more memory than it is worth is refused before any value is made."""

from __future__ import annotations

from pathlib import Path

import pytest

from trainlint import bounded
from trainlint.baseline.file import UnusableBaseline, read_baseline
from trainlint.bounded import TooManyValues, load_bounded
from trainlint.notebooks import document
from trainlint.notebooks.document import UnreadableNotebook, read_document
from trainlint.verdict_file import UnusableEvidence, read_evidence


@pytest.mark.parametrize("text", ["[{},{},{}]", '{"a":1,"b":{"c":2},"d":3}', "[[[[]]]]", '[",,,,"]'])
def test_commas_and_openings_bound_the_values(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(bounded, "MOST_VALUES", 3)
    with pytest.raises(TooManyValues, match="it may hold more than 3 values"):
        bounded.check_values(text, 3)
    with pytest.raises(TooManyValues):
        bounded.check_values(text.encode(), 3)
    assert load_bounded(text.encode()) is not None


def test_evidence_of_too_many_values_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trainlint.verdict_file.load_bounded", _at_most_three)
    path = tmp_path / "evidence.json"
    path.write_text('{"format_version": 3, "x": [{},{},{}]}')
    with pytest.raises(UnusableEvidence, match=r"evidence\.json cannot be read: it may hold more than 3 values"):
        read_evidence(path)


def test_a_baseline_of_too_many_values_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trainlint.baseline.file.load_bounded", _at_most_three)
    path = tmp_path / "known.json"
    path.write_text('{"trainlint_baseline": 1, "findings": [{},{},{}]}')
    with pytest.raises(UnusableBaseline, match=r"known\.json cannot be read as a baseline: it may hold more than 3"):
        read_baseline(str(path), "known.json")


def test_a_notebook_of_too_many_values_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "MOST_VALUES", 3)
    with pytest.raises(UnreadableNotebook, match=r"more than 3 values.*; clear its outputs or exclude it"):
        read_document('{"cells": [{"outputs": [{},{},{}]}], "nbformat": 4}')


def _at_most_three(data: bytes) -> object:
    bounded.check_values(data, 3)
    return load_bounded(data)
