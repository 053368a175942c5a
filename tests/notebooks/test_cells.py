"""The joined text of a notebook knows its cells, and its findings are counted in them."""

from __future__ import annotations

import json
import pickle

import pytest

from tests.fixing.helpers import finding
from tests.notebooks.made import code, document, notebook, text
from trainlint.finding import Edit, Finding, RelatedPlace, Span
from trainlint.notebooks.cells import Cells
from trainlint.notebooks.places import finding_in_cells, step_in_cells, words_in_cells
from trainlint.report import Settings, render
from trainlint.report.patch import difference_for_people
from trainlint.source import SourceFile, decode_source

CELLS = [
    text("# Title"),
    code("import torch\n!ls"),
    code(""),
    text("two"),
    code("x = 'é'; y = 1\n\nz = 2\n", listed=False),
    code("SELECT 1", metadata={"vscode": {"languageId": "sql"}}),
]


def read(cells: list[dict[str, object]], **layout: object) -> SourceFile:
    return decode_source("run.ipynb", json.dumps(document(cells), **layout).encode())  # type: ignore[arg-type]


@pytest.fixture
def source() -> SourceFile:
    return read(CELLS, indent=1, ensure_ascii=True)


def cells_of(source: SourceFile) -> Cells:
    assert source.cells is not None
    return source.cells


def test_cells_are_one_text_with_an_empty_line_behind_each(source: SourceFile) -> None:
    assert source.text == "import torch\n###\n\n\n\nx = 'é'; y = 1\n\nz = 2\n\n\n########\n\n"
    assert cells_of(source).sources == ("import torch\n!ls", "", "x = 'é'; y = 1\n\nz = 2\n", "SELECT 1")


def test_each_line_belongs_to_a_cell_counted_among_all(source: SourceFile) -> None:
    cells = cells_of(source)
    assert [cells.at_line(line) for line in (1, 2, 4, 6, 8)] == [(2, 1), (2, 2), (3, 1), (5, 1), (5, 3)]
    assert source.line_name(8) == "cell 5:3"
    assert [cells.line_in_text(*place) for place in ((2, 2), (5, 3), (4, 1))] == [2, 8, None]
    assert cells.line_written(2) == "!ls"
    cell = source.cell(5)
    assert cell is not None
    assert cell.line(3) == "z = 2"


@pytest.mark.parametrize("indent", [None, 1, 4])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_places_in_the_file_are_those_of_the_characters(indent: int | None, ascii_only: bool) -> None:
    whole = json.dumps(document(CELLS), indent=indent, ensure_ascii=ascii_only)
    cells = cells_of(decode_source("run.ipynb", whole.encode()))
    for place, words in (((2, 2, 1), "!ls"), ((5, 1, 10), "y = 1"), ((5, 3, 1), "z = 2")):
        line, column = cells.place_in_file(*place)
        assert whole.split("\n")[line - 1][column - 1 :].startswith(words)
    assert cells.place_in_file(4, 1, 1) == (1, 1)
    assert cells.place_in_file(5, 99, 1) == (1, 1)


def test_a_finding_is_told_in_cells(source: SourceFile) -> None:
    start = source.text.index("z = 2")
    engine = finding(source, start, start + 5, Edit(start, start + 1, "w"), Edit(0, 0, "import os\n"))
    engine = Finding(
        engine.code,
        engine.name,
        engine.path,
        engine.span,
        "`line 8` of line 8 follows lines 1 and 2",
        engine.severity,
        chain=("line 6: for line in (line 8)", "run.ipynb:8: calls f", "other.py:8: calls g"),
        fix=engine.fix,
        help="see line 6, too",
        related=(RelatedPlace("run.ipynb", 6, 1, "as line 8"), RelatedPlace("other.py", 6, 1, "calls `f`")),
    )
    told = finding_in_cells(engine, cells_of(source))
    assert (told.cell, told.span) == (5, Span(3, 1, 3, 6))
    assert told.message == "`line 8` of cell 5:3 follows cell 2:1 and cell 2:2"
    assert told.help == "see cell 5:1, too"
    assert told.chain == ("cell 5:1: for line in (line 8)", "run.ipynb:cell 5:3: calls f", "other.py:8: calls g")
    assert told.related == (
        RelatedPlace("run.ipynb", 1, 1, "as cell 5:3", 5),
        RelatedPlace("other.py", 6, 1, "calls `f`"),
    )
    assert told.fix is not None
    assert {(edit.cell, edit.start, edit.stop) for edit in told.fix.edits} == {(2, 0, 0), (5, 16, 17)}


def test_words_without_lines_stay_as_they_are(source: SourceFile) -> None:
    cells = cells_of(source)
    assert words_in_cells("the line is long; 2 lines", cells) == "the line is long; 2 lines"
    assert (
        step_in_cells("Trainer.step: the trainer calls it", "run.ipynb", cells) == "Trainer.step: the trainer calls it"
    )


def test_the_report_shows_each_cell_that_a_fix_changes(source: SourceFile) -> None:
    from trainlint.finding import Report

    start = source.text.index("z = 2")
    made = finding(source, start, start + 5, Edit(start, start + 1, "w"), Edit(0, 0, "import os\n"))
    told = finding_in_cells(made, cells_of(source))
    shown = render(Report((told,), (), 1), "full", sources=lambda _: source, rules=(), settings=Settings(summary=False))
    assert "--> run.ipynb:cell 5:3:1" in shown
    assert "  3 │ - z = 2\n  3 │ + w = 2\n" in shown
    assert "--> run.ipynb:cell 2\n  1 │ + import os\n  2 │   import torch\n" in shown


def test_on_a_terminal_the_diff_goes_cell_by_cell(source: SourceFile) -> None:
    start = source.text.index("z = 2")
    shown = difference_for_people(source, source.edited([Edit(start, start + 1, "w")]))
    assert shown.startswith("--- a/run.ipynb:cell 5\t\n+++ b/run.ipynb:cell 5\t\n@@ -1,4 +1,4 @@\n x = 'é'; y = 1\n")
    assert "-z = 2\n+w = 2\n" in shown
    assert "!ls" not in shown


def test_nothing_of_the_outputs_is_kept() -> None:
    output = {"output_type": "display_data", "metadata": {}, "data": {"image/png": "x" * 1_000_000}}
    whole = json.dumps(document([code("x = 1", outputs=[output])]))
    assert len(pickle.dumps(decode_source("run.ipynb", whole.encode()))) < 1_000


def test_the_text_without_magics_is_kept_once() -> None:
    source = decode_source("run.ipynb", notebook("x = 1").encode())
    assert cells_of(source).written is source.text


def test_a_notebook_is_taken_apart_once_however_often_it_is_read() -> None:
    data = notebook("import torch\n", "x = 1\n").encode()
    assert decode_source("a.ipynb", data).cells is decode_source("b.ipynb", data).cells
    assert decode_source("a.ipynb", notebook("x = 2\n").encode()).text.startswith("x = 2\n")
