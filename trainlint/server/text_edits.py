"""What has to be typed to turn one text into another."""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import pairwise
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from trainlint.server.positions import Positions

if TYPE_CHECKING:
    from trainlint.finding import Edit
    from trainlint.source import SourceFile


def difference(before: SourceFile, after: SourceFile, encoding: str = "utf-16") -> list[lsp.TextEdit]:
    """The edits that replace the lines in which two texts differ, so that cursors and marks elsewhere stay."""
    old, new = _lines(before), _lines(after)
    starts = (*before.line_starts, len(before.text))
    positions = Positions(before, encoding)
    edits = []
    for kind, first, last, new_first, new_last in SequenceMatcher(None, old, new).get_opcodes():
        if kind != "equal":
            place = lsp.Range(positions.at(starts[first]), positions.at(starts[last]))
            edits.append(lsp.TextEdit(place, "".join(new[new_first:new_last])))
    return edits


def as_text_edits(source: SourceFile, edits: tuple[Edit, ...], encoding: str = "utf-16") -> list[lsp.TextEdit]:
    """Edits of ours as the protocol writes them."""
    positions = Positions(source, encoding)
    return [lsp.TextEdit(lsp.Range(positions.at(edit.start), positions.at(edit.stop)), edit.text) for edit in edits]


def _lines(source: SourceFile) -> list[str]:
    """The lines with their ends; the last one is empty where the text ends in a line end."""
    starts = (*source.line_starts, len(source.text))
    return [source.text[start:stop] for start, stop in pairwise(starts)]
