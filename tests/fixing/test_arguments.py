"""Keyword arguments go where a careful person would write them."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fixing.helpers import call_of, comments, edited, read
from trainlint.fixing import arguments
from trainlint.fixing.rewrite import Unfixable, add_keyword, set_keyword

LAYOUTS = {
    "f()": "f(n=v)",
    "f( )": "f(n=v)",
    "f(a)": "f(a, n=v)",
    "f(a,)": "f(a, n=v,)",
    "f(a, b=2)": "f(a, b=2, n=v)",
    "f(a = 1)": "f(a = 1, n = v)",
    "f(*a)": "f(*a, n=v)",
    "f(**k)": "f(n=v, **k)",
    "f(a, **k)": "f(a, n=v, **k)",
    "f(*a, **k, b=1)": "f(*a, n=v, **k, b=1)",
    "f(x for x in y)": "f((x for x in y), n=v)",
    "f(\n)": "f(\n    n=v,\n)",
    "f(\n    # none yet\n)": "f(\n    # none yet\n    n=v,\n)",
    "f(a, b\n)": "f(a, b, n=v\n)",
    "f(a, b  # both\n)": "f(a, b, n=v  # both\n)",
    "f(\n    a, b, c\n)": "f(\n    a, b, c, n=v\n)",
    "f(a, b,\n  c)": "f(a, b,\n  c, n=v)",
    "f(\n    a, b,\n    c,\n    d,\n)": "f(\n    a, b,\n    c,\n    d,\n    n=v,\n)",
    "f(\n    a, b,  # two\n    c,\n    d\n)": "f(\n    a, b,  # two\n    c,\n    d,\n    n=v\n)",
    "f(a,\n  b)": "f(a,\n  b,\n  n=v)",
    "f(\n    a\n)": "f(\n    a,\n    n=v\n)",
    "f(\n    a,\n)": "f(\n    a,\n    n=v,\n)",
    "f(a, \\\n  b)": "f(a, \\\n  b, n=v)",
    "f(\n    a,  # one\n    b  # two\n)": "f(\n    a,  # one\n    b,  # two\n    n=v\n)",
    "f(\n    a,\n    b,  # two\n    # b=3,\n)": "f(\n    a,\n    b,  # two\n    # b=3,\n    n=v,\n)",
    "f(\n    a,  # one\n    # the rest\n    **k,\n)": "f(\n    a,  # one\n    n=v,\n    # the rest\n    **k,\n)",
    "if x:\n\ty = f(\n\t\ta,\n\t\tb,\n\t)": "if x:\n\ty = f(\n\t\ta,\n\t\tb,\n\t\tn=v,\n\t)",
    "if x:\n\ty = f(\n\t)": "if x:\n\ty = f(\n\t\tn=v,\n\t)",
    "g(f(a), f)  # end": "g(f(a, n=v), f)  # end",
    "(f(a)\n .g())": "(f(a, n=v)\n .g())",
}


@pytest.mark.parametrize("before", LAYOUTS)
@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_a_keyword_follows_the_layout_of_its_call(before: str, newline: str) -> None:
    source, tree = read(before.replace("\n", newline))
    after = edited(source, add_keyword(source, call_of(tree, "f"), "n", "v", proved_absent=True))
    assert after == LAYOUTS[before].replace("\n", newline)


@pytest.mark.parametrize(
    ("call", "keyword_only", "added"),
    [
        ("f(*a)", False, False),
        ("f(*a)", True, True),
        ("f(a, **k)", False, False),
        ("f(a, **k)", True, False),
        ("f(g(*a, **k))", False, True),
    ],
)
def test_what_a_call_unpacks_may_be_the_argument(call: str, keyword_only: bool, added: bool) -> None:
    source, tree = read(f"{call}\n")
    if added:
        add_keyword(source, call_of(tree, "f"), "n", "v", keyword_only=keyword_only)
    else:
        with pytest.raises(Unfixable, match="may unpack"):
            add_keyword(source, call_of(tree, "f"), "n", "v", keyword_only=keyword_only)


@pytest.mark.parametrize(
    "call",
    ["f(a)", "f(a, b=2)", "f(*a, b=(1))", "f(b='#')", "x = [f('ä', b=2), 1]", "f(b=[1, 2])", "f(a)(b)", "f(a)[0]"],
)
def test_a_plain_call_gets_the_edit_that_a_full_parse_gives(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source, tree = read(f"{call}\n")
    edit = add_keyword(source, call_of(tree, "f"), "n", "v or w", proved_absent=True)
    monkeypatch.setattr(arguments, "_is_plain", lambda *_: False)
    assert edit == add_keyword(source, call_of(tree, "f"), "n", "v or w", proved_absent=True)


@pytest.mark.parametrize(
    "call",
    [
        "f(\n    a,\n    b=2,\n)",
        "f(\n    a,\n    b=2)",
        "f(a,\n  b=2)",
        "f(\n    a,  # one\n    *b,  # two\n)",
        "f(\n    a\n    ,\n)",
        "f(\n    a)",
        "f(\n    (a),\n)",
        "if x:\n    y = f(\n        a,\n\n        b=[\n            1,\n        ],\n    )",
        "if x:\n\ty = f(\n\t\ta,\n\t\tb=2,\n\t)",
        "if x:\n    f(\n  a,\n  b,\n)",
    ],
)
def test_a_call_with_a_line_for_each_argument_gets_the_edit_that_a_full_parse_gives(
    call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, tree = read(f"{call}\n")
    edit = add_keyword(source, call_of(tree, "f"), "n", "v or w", proved_absent=True)
    monkeypatch.setattr(arguments, "_on_own_line", lambda *_: None)
    assert edit == add_keyword(source, call_of(tree, "f"), "n", "v or w", proved_absent=True)


def test_the_edit_is_as_small_as_can_be() -> None:
    source, tree = read("loader = DataLoader(dataset, batch_size=4)\n")
    edit = add_keyword(source, call_of(tree, "DataLoader"), "pin_memory", "True")
    assert (edit.start, edit.stop, edit.text) == (41, 41, ", pin_memory=True")


def test_a_keyword_that_is_given_is_not_given_twice() -> None:
    source, tree = read("f(n=1)\n")
    with pytest.raises(Unfixable, match="gives `n` already"):
        add_keyword(source, call_of(tree, "f"), "n", "2")


def test_a_given_value_is_replaced_and_a_missing_one_added() -> None:
    source, tree = read("f(a, n=False,  # off\n  b=1)\nf()\n")
    assert edited(source, set_keyword(source, call_of(tree, "f"), "n", "True")) == "f(a, n=True,  # off\n  b=1)\nf()\n"
    source, tree = read("f(a)\n")
    assert edited(source, set_keyword(source, call_of(tree, "f"), "n", "True")) == "f(a, n=True)\n"


def test_a_value_in_parentheses_may_run_over_lines() -> None:
    source, tree = read("f(n=(a\n  and b))\n")
    assert edited(source, set_keyword(source, call_of(tree, "f"), "n", "c or d")) == "f(n=(c or d))\n"


blank = st.sampled_from(["", " ", "  "])
gaps = st.one_of(
    blank,
    st.sampled_from(
        ["\n", "\n    ", "\n\n        ", " \\\n ", "  # why\n    ", "\n    # own line\n    # and more\n      ", "\n\t"]
    ),
)
positional = st.sampled_from(
    ["a", "1", "'s'", "(1, 2)", "g(b)", "lambda: 0", "[x for x in y]", "a if b else c", '"""t\nt"""']
)


@st.composite
def calls(draw: st.DrawFn) -> str:
    """A call in some layout, among them nested ones and such as no formatter would write."""
    values: st.SearchStrategy[str] = st.one_of(positional, calls()) if draw(st.integers(0, 3)) == 0 else positional
    arguments = draw(st.lists(values, max_size=3))
    arguments += [f"*{name}" for name in draw(st.lists(st.sampled_from("st"), max_size=1))]
    for name in draw(st.lists(st.sampled_from("klm"), unique=True, max_size=3)):
        arguments.append(f"{name}{draw(gaps)}={draw(gaps)}{draw(values)}")
    arguments += [f"**{draw(gaps)}{name}" for name in draw(st.lists(st.sampled_from("uv"), max_size=2))]
    text = "".join(
        f"{draw(gaps)}{argument}{draw(gaps)}{',' if index + 1 < len(arguments) else ''}"
        for index, argument in enumerate(arguments)
    )
    ends_in_comma = draw(st.booleans())
    if arguments and ends_in_comma:
        text += f",{draw(gaps)}"
    elif not arguments:
        text = draw(gaps)
    return f"f{draw(blank)}({text})"


places = st.sampled_from(
    ["{}\n", "if x:\n    y = {}  # end\n", "class A:\n\tdef b(self):\n\t\treturn [{},\n 1]", "x = 1; {}; y = 2\n"]
)


@settings(max_examples=150, deadline=None)
@given(calls(), places, st.sampled_from(["\n", "\r\n"]))
def test_in_any_layout_the_call_gains_one_keyword_and_nothing_else_changes(call: str, place: str, newline: str) -> None:
    text = place.format(call).replace("\n", newline)
    source, tree = read(text)
    node = next(found for found in ast.walk(tree) if isinstance(found, ast.Call) and ast.unparse(found.func) == "f")
    edit = add_keyword(source, node, "added", "[1, 2]", proved_absent=True)
    assert edit == arguments._added(source, node, "added", "[1, 2]")
    after = edited(source, edit)
    index = next((i for i, keyword in enumerate(node.keywords) if keyword.arg is None), len(node.keywords))
    node.keywords.insert(index, ast.keyword("added", ast.parse("[1, 2]", mode="eval").body))
    assert ast.dump(ast.parse(after)) == ast.dump(tree)
    assert comments(after) == comments(text)
    if newline == "\r\n":
        assert "\n" not in after.replace("\r\n", "")
