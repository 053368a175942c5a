"""Places and edits as the protocol counts them, for any text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types as lsp

from tests.server.editor import applied
from trainlint.finding import Edit
from trainlint.server.documents import document
from trainlint.server.positions import Positions, touch
from trainlint.server.text_edits import as_text_edits, difference
from trainlint.source import source_from_text

TEXTS = st.text(st.sampled_from("ab \N{LATIN SMALL LETTER E WITH ACUTE}\N{FIRE}\n\r\f\u2028\t"), max_size=40)


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 7), ("utf-16", 5), ("utf-32", 4)])
def test_columns_are_counted_in_the_units_that_were_agreed(encoding: str, column: int) -> None:
    positions = Positions(source_from_text("a.py", 'x\nx="\N{FIRE}"'), encoding)
    assert positions.position(2, 5) == lsp.Position(1, column)


@given(TEXTS)
def test_each_character_has_its_own_place(text: str) -> None:
    """The place of a character, looked up as the protocol describes it, is that of the character."""
    source = source_from_text("a.py", text)
    for offset in range(len(text)):
        if text[offset - 1 : offset + 1] == "\r\n" and offset:
            continue  # nobody edits between the two
        start = Positions(source).at(offset)
        assert applied(text, [lsp.TextEdit(lsp.Range(start, start), "|")]) == f"{text[:offset]}|{text[offset:]}"


@given(TEXTS, TEXTS)
def test_the_difference_of_two_texts_turns_one_into_the_other(before: str, after: str) -> None:
    edits = difference(source_from_text("a.py", before), source_from_text("a.py", after))
    assert applied(before, edits) == after
    assert (edits == []) is (before == after)


def test_lines_that_stay_are_not_touched() -> None:
    before = "".join(f"line {number}\n" for number in range(400))
    after = before.replace("line 7\n", "line seven\n").replace("line 300\n", "")
    edits = difference(source_from_text("a.py", before), source_from_text("a.py", after))
    touched = [(edit.range.start.line, edit.range.end.line, edit.new_text) for edit in edits]
    assert touched == [(7, 8, "line seven\n"), (300, 301, "")]


def test_edits_of_ours_become_edits_of_the_protocol() -> None:
    source = source_from_text("a.py", "a = '\N{FIRE}'; b\r\nc\r\n")
    edits = as_text_edits(source, (Edit(9, 10, "d"), Edit(12, 12, "# ")))
    assert applied(source.text, edits) == "a = '\N{FIRE}'; d\r\n# c\r\n"


@pytest.mark.parametrize(("start", "stop", "expected"), [(0, 2, True), (2, 3, True), (4, 4, True), (5, 6, False)])
def test_ranges_touch_at_their_ends(start: int, stop: int, *, expected: bool) -> None:
    finding = lsp.Range(lsp.Position(3, 2), lsp.Position(3, 4))
    other = lsp.Range(lsp.Position(3, start), lsp.Position(3, stop))
    assert touch(finding, other) is expected
    assert touch(other, finding) is expected


def test_half_a_surrogate_pair_keeps_its_width() -> None:
    assert document("file:///a.py", 1, "x = '\ud83d' + y").text == "x = '?' + y"


@pytest.mark.parametrize(
    ("uri", "language", "expected"),
    [
        ("file:///p/a.py", "", True),
        ("file:///p/a.pyw", "", True),
        ("file:///p/SConstruct", "python", True),
        ("file:///p/a.txt", "plaintext", False),
        ("untitled:Untitled-1", "python", True),
        ("untitled:Untitled-1", "plaintext", False),
        ("git:/p/a.py", "python", False),
        ("vscode-notebook-cell:/p/a.ipynb#W0", "python", False),
    ],
)
def test_code_is_judged_and_nothing_else(uri: str, language: str, *, expected: bool) -> None:
    assert document(uri, 1, "import torch\n", language).is_judged is expected
