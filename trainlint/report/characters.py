"""Makes any text fit to be shown: nothing in a user's file may steer the terminal or break its encoding."""

from __future__ import annotations

import re

_STEERING = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
"""Control characters, marks that reorder or break lines, and halves of surrogate pairs, which no encoding takes."""

_ASCII = str.maketrans(
    {
        "…": "...", "→": "->", "·": "-", "•": "*", "×": "x", "≤": "<=", "≥": ">=", "≈": "~",
        "–": "-", "—": "-", "‘": "'", "’": "'", "“": '"', "”": '"', "\xa0": " ", "▌": "|",
        "─": "-", "━": "-", "│": "|", "┃": "|", "╭": ",", "╮": ".", "╰": "`", "╯": "'", "⋮": ":",
        "┏": "+", "┓": "+", "┗": "+", "┛": "+", "┌": "+", "┐": "+", "└": "+", "┘": "+", "┼": "+",
        "├": "+", "┤": "+", "┬": "+", "┴": "+", "╇": "+", "╈": "+", "┡": "+", "┩": "+",
    }
)  # fmt: skip


def sentence(text: str, *, unicode: bool) -> str:
    """A message or a path on one line. What cannot be shown is written as an escape, so that nothing is lost."""
    if text.isascii() and text.isprintable():
        return text
    line = " ".join(re.split(r"\r\n|[\r\n\t\v\f]", text))
    shown = re.sub(_STEERING, _escape, line)
    return shown if unicode else to_ascii(shown)


def code(character: str, *, unicode: bool) -> str:
    """One character of source, as one that takes as many columns."""
    if re.match(_STEERING, character):
        return "\N{REPLACEMENT CHARACTER}" if unicode else "?"
    return character if unicode or character.isascii() else "?"


def to_ascii(text: str) -> str:
    """The text in ASCII: known signs as their look-alikes, all else as an escape."""
    return text.translate(_ASCII).encode("ascii", "backslashreplace").decode("ascii")


def _escape(match: re.Match[str]) -> str:
    return match.group().encode("unicode_escape").decode("ascii")
