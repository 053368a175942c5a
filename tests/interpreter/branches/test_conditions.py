"""The table of conditions with their answers."""

from __future__ import annotations

from pathlib import Path

from tests.interpreter.branches.reading import MEANINGS, answer

_TABLE = Path(__file__).with_name("conditions.txt")


def _rows() -> list[tuple[str, str, str]]:
    lines = (line.strip() for line in _TABLE.read_text(encoding="utf-8").splitlines())
    rows = [line.split("|") for line in lines if line and not line.startswith("#")]
    return [(expected.strip(), condition.strip(), names.strip()) for expected, condition, names in rows]


def test_each_condition_of_the_table_has_its_answer() -> None:
    rows = _rows()
    assert len(rows) >= 200
    wrong = []
    for expected, condition, names in rows:
        pairs = (pair.split("=") for pair in names.split())
        found = answer(condition, {name: MEANINGS[meaning] for name, meaning in pairs})
        if found != expected:
            wrong.append(f"{condition} [{names}]: {found}, expected {expected}")
    assert wrong == []
