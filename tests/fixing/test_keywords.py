"""Arguments get another name or value, or go, and the layout around them stays."""

from __future__ import annotations

import pytest

from tests.fixing.helpers import call_of, edited, read
from trainlint.fixing.imports import drop_name
from trainlint.fixing.keywords import remove_arguments, rename_argument
from trainlint.fixing.rewrite import Unfixable

RENAMED = {
    "f(old=1)": "f(new=1)",
    "f(a, old = x)": "f(a, new = x)",
    "f(\n    a,\n    old=x,  # why\n)": "f(\n    a,\n    new=x,  # why\n)",
}
REMOVED = {
    "f(old=1)": "f()",
    "f(a, old=1)": "f(a)",
    "f(a, old=1,)": "f(a,)",
    "f(old=1, a=2)": "f(a=2)",
    "f(a, old=1, b=2)": "f(a, b=2)",
    "f(\n    a,\n    old=1,\n)": "f(\n    a,\n)",
    "f(\n    a,\n    old=1,\n    b=2\n)": "f(\n    a,\n    b=2\n)",
    "f(a,\n  old=1)": "f(a)",
}
DROPPED = {
    "from m import old\nx = 1\n": "x = 1\n",
    "from m import a, old\n": "from m import a\n",
    "from m import (\n    a,\n    old,\n    b,\n)\n": "from m import (\n    a,\n    b,\n)\n",
}


@pytest.mark.parametrize(("text", "expected"), RENAMED.items())
def test_an_argument_gets_another_name(text: str, expected: str) -> None:
    source, tree = read(text)
    call = call_of(tree, "f")
    assert edited(source, rename_argument(source, call, len(call.args), "new")) == expected


def test_a_positional_argument_gets_a_name_and_a_value() -> None:
    source, tree = read("f(True, b=2)")
    assert edited(source, rename_argument(source, call_of(tree, "f"), 0, "new", "None")) == "f(new=None, b=2)"


@pytest.mark.parametrize("text", ["f(*old)", "f(**old)", "f(1, new=2)"])
def test_what_cannot_be_renamed(text: str) -> None:
    source, tree = read(text)
    with pytest.raises(Unfixable):
        rename_argument(source, call_of(tree, "f"), 0, "new")


@pytest.mark.parametrize(("text", "expected"), REMOVED.items())
def test_an_argument_goes(text: str, expected: str) -> None:
    source, tree = read(text)
    assert edited(source, remove_arguments(source, call_of(tree, "f"), "old")) == expected


@pytest.mark.parametrize("text", ["f(a)", "f(\n    a,  # one\n    old=1,\n)"])
def test_what_cannot_be_removed(text: str) -> None:
    source, tree = read(text)
    with pytest.raises(Unfixable):
        remove_arguments(source, call_of(tree, "f"), "old")


@pytest.mark.parametrize(("text", "expected"), DROPPED.items())
def test_a_name_is_imported_no_longer(text: str, expected: str) -> None:
    source, tree = read(text)
    statement = tree.body[0]
    assert edited(source, *drop_name(source, statement, "old")) == expected  # type: ignore[arg-type]
