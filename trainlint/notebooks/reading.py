"""The text of a notebook's file in, its code as one module out."""

from __future__ import annotations

import re
from dataclasses import replace

from trainlint.notebooks.cells import Cells, joined
from trainlint.notebooks.characters import character_places, writes_escapes
from trainlint.notebooks.document import CodeCell, read_document

_LINE_END = re.compile(r"\r\n|\r|\n")
_MOST_KNOWN = 64
_known: dict[tuple[int, int], tuple[str, Cells]] = {}
"""What was made of the last notebooks, by the lengths and hashes of their texts: a run reads each one three times."""


def read_notebook(text: str) -> tuple[str, Cells]:
    """The code of a notebook with Python in the place of magics, and the map to its cells.

    Raises UnreadableNotebook, and OtherKernel for a notebook in another language.
    """
    key = len(text), hash(text)
    if key not in _known:
        found = _read(text)
        if len(_known) >= _MOST_KNOWN:
            del _known[next(iter(_known))]
        _known[key] = found
    return _known[key]


def _read(text: str) -> tuple[str, Cells]:
    cells = read_document(text)
    foreign = frozenset(cell.number for cell in cells if cell.foreign)
    judged, joined_cells = joined([(cell.number, cell.source) for cell in cells], foreign)
    places = _file_places(text, cells)
    return judged, replace(joined_cells, file_places=places, writes_escapes=writes_escapes(text))


def _file_places(text: str, cells: tuple[CodeCell, ...]) -> tuple[tuple[int, int], ...]:
    """The line and the column of the file, counted from 1, in which each line of the joined cells begins."""
    found: list[tuple[int, int]] = []
    line, at = 1, 0
    for cell in cells:
        places = character_places(text, cell)
        for start in (0, *(match.end() for match in _LINE_END.finditer(cell.source))):
            line += text.count("\n", at, places[start])
            at = places[start]
            found.append((line, at - text.rfind("\n", 0, at)))
        found.append(found[-1])  # the empty line behind the cell
    return tuple(found)
