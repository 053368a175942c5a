"""The characters of a cell's source and where each is written in the JSON."""

from __future__ import annotations

import json
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.notebooks.document import CodeCell

_CHARACTER = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]", re.DOTALL
)
"""What stands for one character in a JSON string: two escapes for one outside of the first plane of Unicode."""


def character_places(text: str, cell: CodeCell) -> list[int]:
    """For each character of a cell's source, where it begins in the text of the file; and where the last one ends.

    What stands between two strings of a list belongs to the last character of the first.
    """
    places: list[int] = []
    for start, stop in cell.strings:
        places += [match.start() for match in _CHARACTER.finditer(text, start + 1, stop - 1)]
    places.append(cell.strings[-1][1] - 1 if cell.strings else cell.stop)
    return places


def writes_escapes(text: str) -> bool:
    """Whether a file escapes what is no ASCII. Jupyter does not; some tools do."""
    return text.isascii() and "\\u" in text


def escaped(text: str, *, ascii_only: bool) -> str:
    """A text as it stands between the quotes of a JSON string."""
    return json.dumps(text, ensure_ascii=ascii_only)[1:-1]
