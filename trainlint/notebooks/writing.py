"""Puts changed cells back into the JSON of their notebook. All else keeps each of its bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from trainlint.notebooks.characters import character_places, escaped, writes_escapes
from trainlint.notebooks.document import CodeCell, read_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.notebooks.cells import Cells

_LINES = re.compile(r"[^\n]*\n|[^\n]+")


def with_cells(text: str, after: Cells) -> str:
    """The text of a notebook with the sources of its cells as `after` has them; only what differs is written anew."""
    before = read_document(text)
    ascii_only = writes_escapes(text)
    separator = _separator(text, before)
    pieces: list[str] = []
    done = 0
    for cell, source in zip(before, after.sources, strict=True):
        for start, stop, written in _changes(text, cell, source, separator, ascii_only=ascii_only):
            pieces += (text[done:start], written)
            done = stop
    written = "".join((*pieces, text[done:]))
    assert tuple(cell.source for cell in read_document(written)) == after.sources
    return written


def _changes(
    text: str, cell: CodeCell, source: str, separator: str, *, ascii_only: bool
) -> Iterator[tuple[int, int, str]]:
    """Which pieces of the file's text become which others, so that the cell holds `source`."""
    if cell.source == source:
        return
    if not cell.strings:
        written = separator.join(f'"{escaped(line, ascii_only=ascii_only)}"' for line in _LINES.findall(source))
        yield cell.start, cell.stop, f"[{written}]"
        return
    places = character_places(text, cell)
    for start, stop, new, is_last in _differences(cell.source, source):
        written = escaped(new, ascii_only=ascii_only)
        if cell.listed:
            # Each line has a string of its own, and none follows the last line end.
            lines = [escaped(line, ascii_only=ascii_only) for line in _LINES.findall(new)]
            follows_all = start == len(cell.source) and cell.source.endswith("\n")
            begins_line = bool(lines) and new.endswith("\n") and not is_last
            strings = [*([""] if follows_all else []), *lines, *([""] if begins_line else [])]
            written = f'"{separator}"'.join(strings)
        yield places[start], places[stop], written


def _differences(before: str, after: str) -> Iterator[tuple[int, int, str, bool]]:
    """The pieces of a source that change: where they begin and end, what they become, whether they reach the end."""
    old, new = _LINES.findall(before), _LINES.findall(after)
    at = 0
    offsets = [at, *(at := at + len(line) for line in old)]
    for tag, old_start, old_stop, new_start, new_stop in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        gone, come = before[offsets[old_start] : offsets[old_stop]], "".join(new[new_start:new_stop])
        head = _alike(gone, come)
        tail = _alike(gone[head:][::-1], come[head:][::-1])
        stop = offsets[old_stop] - tail
        yield offsets[old_start] + head, stop, come[head : len(come) - tail], stop == len(before)


def _alike(one: str, other: str) -> int:
    """How many characters two texts begin with in common."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (left, right) in pairs if left != right), min(len(one), len(other)))


def _separator(text: str, cells: Sequence[CodeCell]) -> str:
    """What stands between two strings of a list in this file."""
    for cell in cells:
        if len(cell.strings) > 1:
            return text[cell.strings[0][1] : cell.strings[1][0]]
    for cell in cells:
        if cell.listed and cell.strings and "\n" in (space := text[cell.start + 1 : cell.strings[0][0]]):
            return f",{space}"
    return ", "
