"""A lazy pattern answers as the compiled one does."""

from __future__ import annotations

import copy
import re

import pytest

from trainlint.patterns import lazy

WORDS = ["loss", "Loss_2", "total_loss", "blossom", ""]


def test_it_finds_what_a_compiled_pattern_finds() -> None:
    waiting, compiled = (make(r"(^|_)loss($|_\d)", re.IGNORECASE) for make in (lazy, re.compile))
    for word in WORDS:
        assert bool(waiting.search(word)) == bool(compiled.search(word))
        assert bool(waiting.match(word)) == bool(compiled.match(word))
        assert bool(waiting.fullmatch(word)) == bool(compiled.fullmatch(word))
    assert waiting.sub("", "total_loss") == compiled.sub("", "total_loss")
    assert (waiting.pattern, waiting.flags, waiting.groups) == (compiled.pattern, compiled.flags, compiled.groups)


def test_nothing_is_compiled_before_it_is_asked() -> None:
    wrong = lazy("(")
    with pytest.raises(re.error, match="missing \\)"):
        wrong.search("")


def test_it_can_be_copied() -> None:
    assert copy.deepcopy(lazy("a")).search("a")
