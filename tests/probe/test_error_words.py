"""What ended a script, in one line."""

from __future__ import annotations

import pytest

from trainlint_probe.wording.errors import exit_in_words, words_of


def syntax_error() -> BaseException:
    try:
        compile("def (", "train.py", "exec")
    except SyntaxError as error:
        return error
    raise AssertionError


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ValueError("no data"), "ValueError: no data"),
        (AssertionError(), "AssertionError"),
        (RuntimeError("\n  shapes differ\nrow 1"), "RuntimeError: shapes differ"),
        (RuntimeError("shapes differ\nrow 1\nrow 2"), "RuntimeError: shapes differ"),
        (syntax_error(), "SyntaxError: invalid syntax"),
        (KeyError("weight"), "KeyError: 'weight'"),
    ],
)
def test_an_error_is_told_with_its_text(error: BaseException, words: str) -> None:
    assert words_of(error) == words


def test_notes_do_not_hide_the_text() -> None:
    error = ValueError("no data")
    if hasattr(error, "add_note"):  # since Python 3.11
        error.add_note("look at the path")
    assert words_of(error) == "ValueError: no data"


def test_a_table_in_a_message_is_cut() -> None:
    assert words_of(ValueError("x" * 5000)) == f"ValueError: {'x' * 285}..."


def test_the_code_and_the_words_of_exit() -> None:
    assert exit_in_words(3) == "it ended with exit code 3"
    assert exit_in_words("no data") == "it ended with: no data"
