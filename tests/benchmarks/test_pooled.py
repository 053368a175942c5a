"""Readings of all rounds together: what a level is worth, and what they say of a rule."""

from __future__ import annotations

from datetime import date

import pytest

from benchmarks.accuracy.rounds.pooled import judging_rules, levels_table, readings_of, rows_of, rules_table
from benchmarks.accuracy.rounds.record import BlindFigures, ReadFigures, ReadRow, Round
from benchmarks.accuracy.score import Share

BLIND = BlindFigures(Share(7, 10), (), Share(0, 20), Share(3, 4))


def round_with(*rows: ReadRow, below: ReadRow | None = None) -> Round:
    read = ReadFigures(rows, (0, 0, 0), Share(1, 1), None, () if below is None else (below,))
    return Round(date(2001, 2, 3), "c0ffee", 7, (), BLIND, read)


def readings(right: int, wrong: int, repositories: int) -> list[ReadRow]:
    """So many right and wrong readings of TRN201, spread over so many repositories."""
    rows = [ReadRow("TRN201", f"somebody/{number}", "certain", 0, 0, 0) for number in range(repositories)]
    rows[0] = rows[0]._replace(right=right, wrong=wrong)
    return rows


@pytest.mark.parametrize(
    ("right", "wrong", "repositories", "says"),
    [
        (9, 1, 4, "measured"),
        (8, 2, 4, "below nine in ten"),
        (9, 0, 4, "not measured"),
        (18, 0, 3, "not measured"),
    ],
)
def test_a_rule_is_measured_by_ten_findings_of_four_repositories(
    right: int, wrong: int, repositories: int, says: str
) -> None:
    assert readings_of("TRN201", readings(right, wrong, repositories)).says == says


def test_readings_of_other_rules_do_not_count() -> None:
    rows = [*readings(9, 1, 4), ReadRow("TRN202", "somebody/5", "likely", 0, 3, 4)]
    found = readings_of("TRN201", rows)
    assert (found.read, found.repositories, found.wrong) == (10, 4, 1)


def test_a_level_is_counted_over_all_rounds_and_over_the_last_two() -> None:
    rounds = [
        round_with(ReadRow("TRN201", "a/one", "certain", 1, 0, 3)),
        round_with(ReadRow("TRN201", "a/two", "certain", 2, 0, 0), ReadRow("TRN205", "a/two", "likely", 0, 1, 0)),
        round_with(ReadRow("TRN201", "a/three", "certain", 1, 0, 1), below=ReadRow("TRN1", "a/b", "unlikely", 1, 0, 0)),
    ]
    _, _, certain, likely, possible, unlikely, shown = levels_table(rounds).splitlines()
    assert certain.startswith("| certain | 0.50 (4/8)")
    assert "0.75 (3/4)" in certain
    assert "0.00 (0/1)" in likely
    assert possible == "| possible | - | - | - | - |"
    assert unlikely.startswith("| unlikely | 1.00 (1/1)"), "read below the default level"
    assert "0.44 (4/9)" in shown, "that counts for its level only"
    assert len(rows_of(rounds)) == 4


def test_the_table_has_each_rule_that_is_on_and_each_that_was_read() -> None:
    rules = judging_rules()
    preview = next(rule for rule in rules if rule.preview)
    table = rules_table([round_with(ReadRow(preview.code, "a/one", "certain", 1, 0, 0))], rules)
    shown = {line.split(" | ")[0].strip("| ") for line in table.splitlines()[2:]}
    assert shown == {preview.code} | {rule.code for rule in rules if not rule.preview}
