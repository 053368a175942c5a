"""Sets of points in time behave as sets."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from trainlint_probe.traces.intervals import Coverage, Span, bridged, overlap, subtract, total, union

_SPANS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=12)


def _points(spans: list[Span] | list[tuple[int, int]]) -> set[int]:
    """The unit cells that spans with whole ends cover."""
    return {cell for start, end in spans for cell in range(int(start), int(end))}


@settings(deadline=None)
@given(_SPANS)
def test_a_union_covers_the_same_points_and_its_spans_do_not_touch(spans: list[tuple[int, int]]) -> None:
    merged = union(spans)
    assert _points(merged) == _points(spans)
    assert all(one[1] < other[0] for one, other in pairwise(merged))
    assert total(merged) == len(_points(spans))


@settings(deadline=None)
@given(_SPANS, _SPANS)
def test_overlap_and_subtract_are_those_of_sets(one: list[tuple[int, int]], other: list[tuple[int, int]]) -> None:
    assert _points(overlap(union(one), union(other))) == _points(one) & _points(other)
    assert _points(subtract(union(one), union(other))) == _points(one) - _points(other)


@settings(deadline=None)
@given(_SPANS, st.integers(0, 40), st.integers(0, 40))
def test_a_coverage_answers_as_counting_would(spans: list[tuple[int, int]], start: int, end: int) -> None:
    coverage = Coverage(spans)
    points = _points(spans)
    assert coverage.within(start, end) == len(points & set(range(start, end)))
    assert coverage.next_at(start) == min((point for point in points if point >= start), default=None)
    assert coverage.covers(start) == (start in points)


@settings(deadline=None)
@given(_SPANS, st.integers(0, 5))
def test_bridging_fills_short_gaps_alone(spans: list[tuple[int, int]], gap: int) -> None:
    merged = bridged(union(spans), gap)
    assert _points(merged) >= _points(spans)
    assert all(other[0] - one[1] > gap for one, other in pairwise(merged))
    assert all(end - start <= gap for start, end in subtract(merged, union(spans)))
