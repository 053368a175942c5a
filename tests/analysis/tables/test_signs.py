"""Each word belongs to one sign and can be found in code."""

from __future__ import annotations

import ast
from collections import Counter

import pytest

from trainlint.analysis.syntax.code_names import CodeNames
from trainlint.analysis.syntax.walk import outline
from trainlint.analysis.tables import signs
from trainlint.analysis.tables.signs import Sign

SIGNS = {name: value for name, value in vars(signs).items() if isinstance(value, Sign)}


@pytest.mark.parametrize("kind", Sign._fields)
def test_no_name_belongs_to_two_signs(kind: str) -> None:
    counted = Counter(name for sign in SIGNS.values() for name in getattr(sign, kind))
    assert [name for name, times in counted.items() if times > 1] == []


def test_each_word_is_found_within_a_longer_name() -> None:
    for sign, word in ((known, word) for known in SIGNS.values() for word in known.words):
        text = f"{word} = 1" if word.startswith("_") else f"my_{word}_x = 1"
        assert CodeNames(outline(ast.parse(text))).show(sign), word


def test_each_origin_is_found_where_it_is_imported() -> None:
    for origin in (origin for sign in SIGNS.values() for origin in sign.origins):
        module, _, last = origin.rpartition(".")
        text = f"from {module} import {last} as found" if module else f"import {origin}.part"
        assert CodeNames(outline(ast.parse(text))).show(Sign(origins=frozenset({origin}))), origin
