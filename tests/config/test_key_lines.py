"""The line of each key of a TOML text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainlint.config.key_lines import key_lines, line_of
from trainlint.config.toml import parse_toml

TEXT = '''\
# [tool.trainlint] in a comment
title = "[tool.trainlint]"  # and in a text
notes = """
[tool.trainlint]
select = "no"
"""
raw = \'\'\'
preview = "no" \'\'

\'\'\'

[tool.trainlint]
select = ["TRN", "ALL"]
ignore = [
    "TRN201",  # why: ]
    "TRN202", "TRN203",
]
severity.TRN201 = "error"
"min-confidence" = "possible"
rules.TRN201 = { calls = ["a",
  "b"], "least" = 3 }

[tool . "trainlint" . per-file-ignores]
"tests/**" = ["ALL"]
'docs/*' = []

[[extra]]
day = 1979-05-27 07:32:00
'''


@pytest.mark.parametrize(
    ("key", "line"),
    [
        (("title",), 2),
        (("raw",), 7),
        (("tool", "trainlint"), 12),
        (("tool", "trainlint", "select", 1), 13),
        (("tool", "trainlint", "ignore"), 14),
        (("tool", "trainlint", "ignore", 0), 15),
        (("tool", "trainlint", "ignore", 2), 16),
        (("tool", "trainlint", "severity", "TRN201"), 18),
        (("tool", "trainlint", "min-confidence"), 19),
        (("tool", "trainlint", "rules", "TRN201", "calls", 1), 21),
        (("tool", "trainlint", "rules", "TRN201", "least"), 21),
        (("tool", "trainlint", "per-file-ignores"), 23),
        (("tool", "trainlint", "per-file-ignores", "tests/**"), 24),
        (("tool", "trainlint", "per-file-ignores", "docs/*"), 25),
        (("extra", "day"), 28),
    ],
)
def test_line_of_a_key(key: tuple[str | int, ...], line: int) -> None:
    assert line_of(key, TEXT) == line


def test_a_key_that_is_nowhere_has_the_line_of_what_is_around_it() -> None:
    assert line_of(("tool", "trainlint", "rules", "TRN999", "x"), TEXT) == 20
    assert line_of(("nothing",), TEXT) == 1


_keys = st.text(alphabet='ab.-"\\# é\n', min_size=0, max_size=4)
_scalars = st.one_of(
    st.booleans().map(lambda value: str(value).lower()),
    st.sampled_from(
        ["1", "-2.5e3", "1979-05-27", "'#]'", '"\\"]"', '"""x\n]"""', "'''\n'a'\n'''", '""', "''", '""""a"""""']
    ),
)
_values = st.recursive(
    _scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: "[\n" + ", # ]\n".join(items) + "\n]"),
        st.dictionaries(_keys, inner, max_size=3).map(
            lambda table: "{" + ", ".join(f"{_quote(key)} = {value}" for key, value in table.items()) + "}"
        ),
    ),
    max_leaves=4,
)


def _quote(key: str) -> str:
    escaped = key.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


@given(st.dictionaries(_keys, _values, max_size=5), st.lists(_keys, max_size=2))
def test_every_key_is_found_on_the_line_where_it_was_written(values: dict[str, str], table: list[str]) -> None:
    text = f"[{'.'.join(map(_quote, table))}]\n" if table else ""
    expected: dict[tuple[str | int, ...], int] = {}
    for key, value in values.items():
        written = (*table, key)
        expected[written] = text.count("\n") + 1
        text += f"{_quote(key)} = {value} # {key!r}\n"
    parse_toml(text)  # the text is valid

    found = key_lines(text)

    assert {key: found[key] for key in expected} == expected
    top_level = {key for key in found if len(key) == len(table) + 1 and key[: len(table)] == tuple(table)}
    assert top_level == set(expected)
