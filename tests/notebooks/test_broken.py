"""Broken notebooks give a sentence each, and so do those that trainlint does not read."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.notebooks.made import PYTHON, code, document, notebook, text
from trainlint.engine.parsing import parse
from trainlint.finding import Failure
from trainlint.source import OtherLanguage, UnreadableSource, decode_source

FILE = notebook("x = 1")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "no valid JSON"),
        (FILE[:-20], "no valid JSON"),
        (FILE + "{}", "Extra data"),
        (FILE.replace('"cells": [', '"cells": [,'), "no valid JSON"),
        (FILE.replace('"cell_type"', "cell_type"), "no valid JSON"),
        (FILE.replace('"id": "cell-1",', '"id": "cell-1"'), "no valid JSON"),
        ("[1, 2]", "no JSON object"),
        ("{}", "no list of cells"),
        ('{"metadata": ' + "1" * 5_000 + "}", "no valid JSON"),
        ('{"cells": 1, "nbformat": 4}', "no list of cells"),
        ('{"worksheets": [], "nbformat": 3, "metadata": {}}', "a notebook of format 3"),
        (json.dumps(document([1])), "cell 1 is no JSON object"),  # type: ignore[list-item]  # it is broken
        (json.dumps(document([{"cell_type": "code"}])), "cell 1 has no source"),
        (json.dumps(document([text("x"), code("") | {"source": [1]}])), "cell 2 has a source that is no text"),
        (json.dumps(document([code("") | {"source": {}}])), "cell 1 has a source that is no text"),
        ('{"metadata": ' + "[" * 100_000, "nested too deeply"),
        ('{"cells": [{"outputs": ' + '{"a":' * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_notebook_gives_a_sentence(content: str, words: str) -> None:
    with pytest.raises(UnreadableSource, match=words) as caught:
        decode_source("run.ipynb", content.encode())
    assert not isinstance(caught.value, OtherLanguage)
    assert "\n" not in str(caught.value)


def test_bytes_that_are_no_utf8_give_a_sentence() -> None:
    with pytest.raises(UnreadableSource, match="no UTF-8"):
        decode_source("run.ipynb", FILE.replace("x = 1", "é").encode("latin-1"))


def test_a_cell_with_half_a_character_gives_a_sentence() -> None:
    with pytest.raises(UnreadableSource, match="half of a surrogate pair"):
        decode_source("run.ipynb", FILE.replace("x = 1", "x = '\\ud800'").encode())


@pytest.mark.parametrize(
    "metadata",
    [
        {"kernelspec": {"name": "ir", "language": "R"}},
        {"kernelspec": {"name": "julia-1.9"}},
        {"language_info": {"name": "scala"}},
    ],
)
def test_a_kernel_of_another_language_is_told_apart(metadata: dict[str, object]) -> None:
    with pytest.raises(OtherLanguage):
        decode_source("run.ipynb", notebook("x <- 1", metadata=metadata).encode())


@pytest.mark.parametrize(
    "metadata", [{}, PYTHON, {"kernelspec": {"name": "python3"}}, {"language_info": {"name": "ipython"}}]
)
def test_python_is_what_names_no_other_language(metadata: dict[str, object]) -> None:
    assert decode_source("run.ipynb", notebook("x = 1", metadata=metadata).encode()).text == "x = 1\n\n"


def test_a_notebook_without_cells_is_empty() -> None:
    assert decode_source("run.ipynb", json.dumps(document([])).encode()).text == ""


@pytest.mark.parametrize(
    ("sources", "words"),
    [
        (("x = 1", "y = 2\nfor x in"), "cell 2:2: syntax error in Python"),
        (("x = 1", "y = '''\n", "'''"), "cell 2: a statement goes on in the next cell"),
        (("f(", ")"), "cell 1: a statement goes on in the next cell"),
        (("for x in y:", "    print(x)"), "cell 1: a statement goes on in the next cell"),
        (("if x:\n  y\n z",), "cell 1:3: syntax error in Python"),
    ],
)
def test_a_cell_that_is_no_python_is_named(sources: tuple[str, ...], words: str) -> None:
    found = parse(decode_source("run.ipynb", notebook(*sources).encode()))
    assert isinstance(found, Failure)
    assert found.reason.startswith(words)


JSON = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.text(max_size=5), st.sampled_from(["code", "python", "x = 1"])
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from(["cells", "cell_type", "source", "metadata", "nbformat", "kernelspec", "name", "vscode"]),
            inner,
            max_size=5,
        ),
    ),
    max_leaves=20,
)


@given(JSON, st.one_of(st.none(), JSON), st.one_of(st.none(), JSON))
def test_whatever_stands_in_a_notebook_it_is_read_or_refused(whole: object, cell: object, metadata: object) -> None:
    made = {"cells": [cell, code("x = 1") | (cell if isinstance(cell, dict) else {})], "metadata": metadata}
    for content in (whole, made):
        with contextlib.suppress(UnreadableSource):
            assert decode_source("run.ipynb", json.dumps(content).encode()).cells is not None


def test_a_notebook_with_more_code_than_is_judged_gives_a_sentence() -> None:
    with pytest.raises(UnreadableSource, match="more than 5 MB of code"):
        decode_source("run.ipynb", notebook("# " + "x" * 5_000_000).encode())
