"""Findings as data."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

from tests.report.toys import ITEM


def test_findings_that_begin_at_one_place_have_one_order() -> None:
    span = ITEM.span
    ends = [replace(ITEM, span=replace(span, end_column=span.end_column + more)) for more in (0, 7, 9)]
    assert all(sorted(some, key=lambda item: item.order) == ends for some in permutations(ends))
