"""Messages and helps are short, and no word in them hides what is meant."""

from __future__ import annotations

from statistics import median

import pytest

from tests.rules.wording import Wording, wordings

TEXTS = wordings()
MEDIAN = 25
MOST = {"message": 35, "help": 30}
HIDES = (
    "now and then",
    "without a word",
    "what counts",
    "in any case",
    "otherwise than",
    "brought about",
    "all the same",
    "the host knows",
    "in charge",
    "somehow",
    "nobody measured",
)
"""What can be said with a number, a name or a verb instead."""


@pytest.mark.parametrize("kind", MOST)
def test_messages_and_helps_are_short(kind: str) -> None:
    listed = [text for text in TEXTS if text.kind == kind]
    assert len(listed) > 70
    assert median(text.words for text in listed) <= MEDIAN
    assert [text for text in listed if text.words > MOST[kind]] == []


def test_code_between_backticks_is_one_word() -> None:
    assert Wording("help", "call `a b c` once", "x.py:1").words == 3


def test_no_word_hides_what_is_meant() -> None:
    assert [(text.place, words) for text in TEXTS for words in HIDES if words in text.text] == []
