"""From offsets in a file to lines and columns."""

from __future__ import annotations

import pytest

from trainlint.source import source_from_text


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", ["", "c"])
def test_lines_begin_behind_each_kind_of_line_end(end: str, last: str) -> None:
    source = source_from_text("x.py", f"a{end}{end}bb{end}{last}")
    assert [source.line(number) for number in range(1, len(source.line_starts) + 1)] == ["a", "", "bb", last]


def test_other_characters_that_end_lines_elsewhere_end_none_in_python() -> None:
    source = source_from_text("x.py", "a\x0cb\u2028c\x85d\ne")
    assert source.line_starts == (0, 8)


def test_an_empty_file_has_one_line() -> None:
    assert source_from_text("x.py", "").line_starts == (0,)
