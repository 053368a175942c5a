"""Fixes change the sources of cells, and no other byte of the file."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fixing.helpers import finding
from tests.notebooks.made import code, document, notebook, text
from trainlint.finding import Edit, Finding, Safety
from trainlint.fixing import fix_to_fixpoint
from trainlint.notebooks.document import read_document
from trainlint.source import SourceFile, decode_source

FIXES = {
    r"slow\(\)": "fast()",
    r"(?m)^.*gone\(\).*(?:\n|\Z)": "",
    r"(?m)^(?=.*here\(\))(?<!added\(\)\n)": "added()\n",
    r"long\((\w), (\w)\)": r"both(\n    \1,\n    \2,\n)",
    r"wide\(\n(\w)\n\)": r"narrow(\1)",
    r"tail\(\)": "tale()\nmore('ü')",
}
"""What stands in a cell, and what becomes of it: in a line, lines away, lines more, lines in the place of others."""


def judge(source: SourceFile) -> Sequence[Finding]:
    return [
        finding(source, *match.span(), Edit(*match.span(), match.expand(new)), code=f"TRN90{number}")
        for number, (old, new) in enumerate(FIXES.items())
        for match in re.finditer(old, source.text)
    ]


def fixed(data: bytes) -> bytes:
    """The notebook with all fixes, whatever else they may do."""
    source = decode_source("run.ipynb", data)
    done = fix_to_fixpoint(source, judge, Safety.SAFE)
    assert done.unapplied == ()
    return done.source.content(data)


def outside(data: bytes) -> list[str]:
    """The file without the sources of its code cells."""
    whole = data.decode()
    pieces, at = [], 0
    for cell in read_document(whole.removeprefix("\ufeff")):
        shift = len(whole) - len(whole.removeprefix("\ufeff"))
        pieces.append(whole[at : cell.start + shift])
        at = cell.stop + shift
    return [*pieces, whole[at:]]


def sources(data: bytes) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(data.decode("utf-8-sig"))["cells"]]


NOISE = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
LINE = st.sampled_from(
    [
        "slow()",
        "x = slow() + 'é\U0001f600\\\\\"\\t'",
        "gone()",
        "here()",
        "long(a, b)",
        "wide(\nc\n)",
        "tail()",
        "x = 1",
        "",
        "# slow",
        "!slow()",
        "%matplotlib slow()",
        "files = !slow()",
        "%time slow()",
    ]
)
SOURCE = st.builds(
    lambda magic, lines, end: magic + "\n".join(lines) + end,
    st.sampled_from(["", "", "%%time\n", "%%bash\nslow()\n"]),
    st.lists(LINE, max_size=6),
    st.sampled_from(["", "\n"]),
)
CELL = st.one_of(
    st.builds(
        lambda source, listed, noise: code(
            source,
            listed=listed,
            outputs=[{"output_type": "stream", "name": "stdout", "text": [noise, "slow()\n"]}],
            metadata={"note": noise},
        ),
        SOURCE,
        st.booleans(),
        NOISE,
    ),
    st.builds(text, NOISE),
)


@st.composite
def notebooks(draw: st.DrawFn) -> bytes:
    cells = [
        dict(draw(st.permutations(list((cell | {"id": f"c{number}"}).items()))))
        for number, cell in enumerate(draw(st.lists(CELL, max_size=5)))
    ]
    layout: dict[str, Any] = draw(
        st.sampled_from(
            [
                {"indent": 1},
                {"indent": 2},
                {"indent": "\t"},
                {"indent": 4, "sort_keys": True},
                {},
                {"separators": (",", ":")},
            ]
        )
    )
    whole = json.dumps(document(cells), ensure_ascii=draw(st.booleans()), **layout)
    whole = whole.replace("\n", draw(st.sampled_from(["\n", "\r\n"]))) + draw(st.sampled_from(["", "\n"]))
    return draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + whole.encode()


@given(notebooks())
def test_a_notebook_that_is_not_fixed_keeps_each_byte(data: bytes) -> None:
    assert decode_source("run.ipynb", data).content(data) == data


@given(notebooks())
def test_fixes_change_nothing_but_sources_and_come_to_an_end(data: bytes) -> None:
    after = fixed(data)
    assert outside(after) == outside(data)
    nbformat.validate(json.loads(after.decode("utf-8-sig")))
    assert fixed(after) == after
    for old, new in zip(sources(data), sources(after), strict=True):
        if old.startswith("%%bash"):
            assert new == old
            continue
        magics = [line for line in old.split("\n") if re.match(r"%m|!|files|%%", line)]
        assert [line for line in new.split("\n") if re.match(r"%m|!|files|%%", line)] == magics
        code = "\n".join(line for line in new.split("\n") if line not in magics)
        assert not re.search(r"\bslow\(\)|gone|long|wide|tail", code)


@given(notebooks())
def test_lines_that_are_not_fixed_are_written_as_they_were(data: bytes) -> None:
    """Each string of a list holds one line before and after, as nbformat and other tools write it."""
    after = json.loads(fixed(data).decode("utf-8-sig"))
    for cell in after["cells"]:
        if isinstance(cell["source"], list) and cell["cell_type"] == "code":
            assert "".join(cell["source"]).splitlines(keepends=True) == [line for line in cell["source"] if line]


@pytest.mark.parametrize("escape", ["\\u00e9", "\\/", "\\u0041"])
def test_escapes_beside_a_fix_stay_as_they_are(escape: str) -> None:
    data = notebook("x = 'PLACE'; slow(); y = 'PLACE'").replace("PLACE", escape).encode()
    assert fixed(data) == data.replace(b"slow", b"fast")


@pytest.mark.parametrize(("ascii_only", "written"), [(True, "\\u00fc"), (False, "ü")])
def test_new_text_is_escaped_as_the_file_does_it(ascii_only: bool, written: str) -> None:
    data = json.dumps(document([code("tail()"), text("é")]), indent=1, ensure_ascii=ascii_only).encode()
    assert f"more('{written}')".encode() in fixed(data)


def test_lines_are_put_into_a_list_in_its_own_layout() -> None:
    data = json.dumps(document([code("x = 1\nlong(a, b)\ny = 2")]), indent=3).encode()
    gap = ",\n            "
    lines = ["x = 1\\n", "both(\\n", "    a,\\n", "    b,\\n", ")\\n", "y = 2"]
    assert gap.join(f'"{line}"' for line in lines).encode() in fixed(data)


def test_a_line_behind_the_last_line_end_gets_a_string_of_its_own() -> None:
    data = notebook("long(a, b)\nwide(\nc\n)\n").encode()
    whole = json.loads(fixed(data))
    lines = ["both(\n", "    a,\n", "    b,\n", ")\n", "narrow(c)\n"]
    assert whole["cells"][0]["source"] == lines


def test_the_last_line_goes_with_the_line_end_before_it() -> None:
    assert sources(fixed(notebook("x = 1\ngone()", "y = 2").encode())) == ["x = 1", "y = 2"]
    assert sources(fixed(notebook("x = 1\ngone()\n", "y = 2").encode())) == ["x = 1\n", "y = 2"]
    assert sources(fixed(notebook("gone()", "y = 2").encode())) == ["", "y = 2"]


def test_a_cell_that_was_empty_can_get_lines() -> None:
    def add(source: SourceFile) -> Sequence[Finding]:
        return [] if source.text.startswith("import") else [finding(source, 0, 0, Edit(0, 0, "import os\nimport re\n"))]

    data = notebook("", "x = 1").encode()
    done = fix_to_fixpoint(decode_source("run.ipynb", data), add, Safety.SAFE).source
    assert sources(done.content(data)) == ["import os\nimport re\n", "x = 1"]


@pytest.mark.parametrize(
    ("cells", "old", "words"),
    [
        (("x = 1", "y = 2"), r"1\n\ny", "more than one cell"),
        (("x = 1", "y = 2"), r"2\n\n", "more than one cell"),
        (("!ls\nx = 1",), r"(?m)^#+$", "magic"),
        (("%time f()",), r"f\(\)", "behind a magic"),
        (("x = 1",), "x = 1", "read in another way"),
    ],
)
def test_a_fix_that_would_break_a_notebook_is_not_made(cells: tuple[str, ...], old: str, words: str) -> None:
    new = "%%bash" if "read" in words else "g(\n1)"

    def wrong(source: SourceFile) -> Sequence[Finding]:
        return [finding(source, *found.span(), Edit(*found.span(), new)) for found in re.finditer(old, source.text)]

    data = notebook(*cells).encode()
    done = fix_to_fixpoint(decode_source("run.ipynb", data), wrong, Safety.SAFE)
    assert done.source.content(data) == data
    assert words in done.unapplied[0].reason
