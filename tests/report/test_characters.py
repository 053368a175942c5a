"""Nothing in a user's file may steer the terminal, and what cannot be shown is not lost."""

from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st

from trainlint.report.characters import sentence
from trainlint.report.settings import style_for


def test_line_ends_and_tabs_become_blanks() -> None:
    assert sentence("one\r\ntwo\tthree", unicode=True) == "one two three"


def test_escapes_of_terminals_are_shown_not_obeyed() -> None:
    assert sentence("a\x1b[31mred\x9b", unicode=True) == r"a\x1b[31mred\x9b"


def test_marks_that_reorder_text_are_shown() -> None:
    assert sentence("abc\u202edef", unicode=True) == r"abc\u202edef"


def test_a_file_name_that_is_no_utf8_can_be_printed() -> None:
    assert sentence("caf\udce9.py", unicode=True) == r"caf\udce9.py"


def test_ascii_keeps_the_meaning() -> None:
    assert sentence("loop → step … 学習.py", unicode=False) == r"loop -> step ... \u5b66\u7fd2.py"


@given(st.text(), st.booleans())
def test_any_text_becomes_one_line_that_every_stream_takes(text: str, unicode: bool) -> None:
    line = sentence(text, unicode=unicode)
    assert line.encode("utf-8" if unicode else "ascii").decode() == line
    assert len(line.splitlines()) <= 1


class Terminal(io.TextIOWrapper):
    """A stream that says it is a terminal."""

    def __init__(self, encoding: str = "utf-8") -> None:
        super().__init__(io.BytesIO(), encoding=encoding)

    def isatty(self) -> bool:
        return True


def test_colour_by_the_stream_and_the_usual_variables() -> None:
    pipe = io.StringIO()
    assert style_for(Terminal(), environ={"TERM": "xterm"}).color
    assert not style_for(Terminal(), environ={"TERM": "xterm", "NO_COLOR": "1"}).color
    assert not style_for(Terminal(), environ={"TERM": "dumb"}).color
    assert not style_for(pipe, environ={}).color
    assert style_for(pipe, environ={"FORCE_COLOR": "1"}).color


def test_the_command_line_decides_over_the_variables() -> None:
    assert style_for(io.StringIO(), "always", environ={"NO_COLOR": "1"}).color
    assert not style_for(Terminal(), "never", environ={"FORCE_COLOR": "1"}).color


def test_links_only_where_a_terminal_shows_colours() -> None:
    assert style_for(Terminal(), environ={"TERM": "xterm"}).links
    assert not style_for(io.StringIO(), "always", environ={}).links
    assert not style_for(Terminal(), "never", environ={"TERM": "xterm"}).links


def test_the_width_is_that_of_columns() -> None:
    assert style_for(Terminal(), environ={"COLUMNS": "61"}).width == 61
    assert style_for(io.StringIO(), environ={"COLUMNS": "61"}).width == 61
    assert style_for(io.StringIO(), environ={"COLUMNS": "none"}).width == 100
    assert style_for(io.StringIO(), environ={}).width == 100


def test_only_streams_that_take_any_character_get_them() -> None:
    assert style_for(Terminal("utf-8"), environ={}).unicode
    assert not style_for(Terminal("ascii"), environ={}).unicode
    assert not style_for(Terminal("cp1252"), environ={}).unicode
    assert style_for(io.StringIO(), environ={}).unicode
