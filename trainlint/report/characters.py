"""Makes any text fit to be shown: nothing in a repository may steer the terminal or a CI service, or forge a line.

What comes from a repository goes out through one of these: names of files through `quoted`, all else that stands in a
line of prose through `sentence`, source through `code`. What is then laid out for people goes through
`without_commands`, which looks at whole lines, since only those show where a line begins. JSON needs nothing but
`json_without_commands`.
"""

from __future__ import annotations

import re

from trainlint.patterns import lazy

_STEERING = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
"""Control characters, marks that reorder or break lines, and halves of surrogate pairs, which no encoding takes."""

_ASCII = str.maketrans(
    {
        "…": "...", "→": "->", "µ": "u", "·": "-", "•": "*", "×": "x", "≤": "<=", "≥": ">=", "≈": "~",
        "–": "-", "—": "-", "‘": "'", "’": "'", "“": '"', "”": '"', "\xa0": " ", "▌": "|",
        "─": "-", "━": "-", "│": "|", "┃": "|", "╭": ",", "╮": ".", "╰": "`", "╯": "'", "⋮": ":",
        "┏": "+", "┓": "+", "┗": "+", "┛": "+", "┌": "+", "┐": "+", "└": "+", "┘": "+", "┼": "+",
        "├": "+", "┤": "+", "┬": "+", "┴": "+", "╇": "+", "╈": "+", "┡": "+", "┩": "+",
    }
)  # fmt: skip


_MARK = r"#(?=#(?:\[|vso\[|teamcity\[))"
_COMMAND = re.compile(
    # GitHub: at the start of a line, after blanks. Colours may come before it as well.
    r"^((?:[^\S\n]|\x1b\[[0-9;]*m|\x1b\]8;[^\x1b\n]*\x1b\\)*):(?=:)"
    # GitHub, Azure Pipelines and TeamCity: anywhere in a line.
    rf"|{_MARK}",
    re.MULTILINE,
)
"""What the CI services that read commands from their logs take for the start of one. Commands of others, such as
GitLab, need control characters."""

_NEEDS_QUOTES = lazy(rf'[\t\n"\\]|{_STEERING}')
_ESCAPES = {"\a": "a", "\b": "b", "\t": "t", "\n": "n", "\v": "v", "\f": "f", "\r": "r", '"': '"', "\\": "\\"}


def quoted(path: str) -> str:
    """A path as git writes it: as it is, or in quotes with escapes where it could be misread."""
    if not _NEEDS_QUOTES.search(path) and not has_commands(path):
        return path
    return '"' + re.sub(_MARK, r"\\043", "".join(map(_as_git_writes, path))) + '"'


def has_commands(text: str) -> bool:
    """Whether a CI service would take part of the text for a command."""
    return _COMMAND.search(text.replace("\r", "\n")) is not None


def without_commands(text: str) -> str:
    """Lines for people, in which no CI service finds a command. Each sign keeps its column."""
    return _COMMAND.sub(lambda found: f"{found[1] or ''}?", text)


def json_without_commands(document: str) -> str:
    """The same for a JSON document, which means what it did before."""
    return re.sub(_MARK, r"\\u0023", document)


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


def for_terminal(text: str) -> str:
    """Lines of source as they may be sent to a terminal."""
    return without_commands(re.sub(_STEERING, "\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n")))


def to_ascii(text: str) -> str:
    """The text in ASCII: known signs as their look-alikes, all else as an escape."""
    return text.translate(_ASCII).encode("ascii", "backslashreplace").decode("ascii")


def _escape(match: re.Match[str]) -> str:
    return match.group().encode("unicode_escape").decode("ascii")


def _as_git_writes(character: str) -> str:
    if character in _ESCAPES:
        return f"\\{_ESCAPES[character]}"
    if not re.match(_STEERING, character):
        return character
    # A byte of a name that is no UTF-8 is held as half of a surrogate pair.
    is_byte = "\udc80" <= character <= "\udcff"
    return "".join(
        f"\\{byte:03o}" for byte in character.encode("utf-8", "surrogateescape" if is_byte else "surrogatepass")
    )
