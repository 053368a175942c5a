"""The few lines that a fix changes, with numbers that rise down the page."""

from __future__ import annotations

from trainlint.finding import Edit, Fix, Safety
from trainlint.report.diff import changes
from trainlint.source import source_from_text

TEXT = "import torch\n\n\ndef load(data):\n    return DataLoader(data)\n"


def test_lines_after_an_insertion_carry_their_new_numbers() -> None:
    call = TEXT.index("(data)\n")
    edits = (Edit(0, 0, "import os\n"), Edit(call, call + 6, "(data, num_workers=os.cpu_count())"))
    pieces = changes(source_from_text("data.py", TEXT), Fix("load in workers", edits, Safety.UNSAFE))
    assert [[(change.sign, change.line, change.text) for change in piece] for piece in pieces] == [
        [("+", 1, "import os"), (" ", 2, "import torch")],
        [
            (" ", 5, "def load(data):"),
            ("-", 5, "    return DataLoader(data)"),
            ("+", 6, "    return DataLoader(data, num_workers=os.cpu_count())"),
        ],
    ]


def test_a_fix_for_another_text_shows_nothing() -> None:
    fix = Fix("late", (Edit(500, 501, "x"),), Safety.SAFE)
    assert changes(source_from_text("data.py", TEXT), fix) == []
