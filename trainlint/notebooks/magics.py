"""Replaces what IPython understands and Python does not by Python of the same length, line by line.

Every character so keeps its place. A magic command becomes a name that nothing is known of, with a comment behind it;
a cell in another language becomes comments.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.patterns import lazy

PYTHON_CELLS = frozenset(
    (
        "capture",
        "debug",
        "ipytest",
        "memit",
        "mprun",
        "prun",
        "pyinstrument",
        "scalene",
        "snakeviz",
        "time",
        "timeit",
        "wandb",
    )
)
"""Cell magics that run their cell as Python, in the namespace of the notebook."""

_AUTOMAGICS = (
    "alias|autoreload|cat|cd|clear|conda|config|cp|env|history|ldir|less|load|load_ext|ls|magic|mamba|man|matplotlib"
    "|memit|micromamba|mkdir|more|mprun|mv|notebook|pdb|pinfo|pip|popd|precision|prun|pushd|pycat|pylab|reload_ext"
    "|rerun|reset|rm|rmdir|run|save|set_env|store|system|time|timeit|unload_ext|uv|who|whos|xmode"
)
"""Line magics that IPython knows without their percent sign, as its setting `automagic` has it from the start."""
_ESCAPES = ("!", "%", "?", "/", ",", ";")
"""What a line magic begins with, and no statement of Python's."""
_UNKNOWN = "__"
"""What stands in the place of a value that a magic gives: a name that no file binds."""
_LINE_END = re.compile(r"\r\n|\r|\n")
_LINE = re.compile(r"[^\r\n]+")
_CELL_MAGIC = re.compile(r"(?:[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r(?!\n)|\n))*[ \t]*(%%(?P<name>[\w.]+)[^\r\n]*|%%[^\r\n]*)")
"""A cell magic on the first line that is neither empty nor a comment."""
_HINT = lazy(r"^[ \t]*[!%?/,;]|=[ \t]*[!%]|\?[ \t]*$", re.MULTILINE)
"""What a cell with a line magic holds."""
_INDENTATION = re.compile(r"[ \t\f]*")
_TO_END_OF_LINE = re.compile(r"(?:\\(?:\r\n|\r|\n)|[^\r\n])*")
"""The rest of a line, with the lines that backslashes join to it."""
_AUTOMAGIC = lazy(rf"\s*(?:{_AUTOMAGICS})[ \t]+[^\s=,][^\r\n]*\s*")
"""A cell of one line that may be such a magic. IPython looks for them in no other cell."""
_TIMED = re.compile(r"%?(?:time|timeit|prun|memit)[ \t]+(?:-[a-zA-Z]+(?:[ \t]*\d+)?[ \t]+)*(?=[^\s-])")
"""A magic that runs the statement behind it."""
_ASSIGNED = re.compile(r"[^=\r\n'\"#!%]+=[ \t]*(?=[!%])")
_PIECE = re.compile(
    r"(?P<string>(?P<quotes>\"\"\"|''')(?:\\.|[^\\])*?(?:(?P=quotes)|\Z)|\"(?:\\.|[^\"\\\r\n])*\"?|'(?:\\.|[^'\\\r\n])*'?)"
    r"|(?P<comment>#[^\r\n]*)"
    r"|(?P<opening>[(\[{])|(?P<closing>[)\]}])"
    r"|(?P<joining>\\(?:\r\n|\r|\n))"
    r"|(?P<end>\r\n|\r|\n)"
    r"|(?P<code>[^\"'#()\[\]{}\\\r\n]+|\\)",
    re.DOTALL,
)
"""A piece of Python as far as it matters for where statements begin."""


def as_python(source: str, *, foreign: bool = False) -> str:
    """The source of a cell as Python of the same length. `foreign` says that the cell is in another language."""
    if foreign:
        return _commented(source)
    start = 0
    while magic := _CELL_MAGIC.match(source, start):
        if magic["name"] not in PYTHON_CELLS:
            return _commented(source)
        start = magic.end()  # the rest may begin with a cell magic again, as %%capture before %%time
    head = _commented(source[:start])
    return head + _without_line_magics(source[start:])


def _commented(text: str) -> str:
    return _LINE.sub(lambda line: "#" * len(line[0]), text)


def _without_line_magics(source: str) -> str:
    if not _HINT.search(source) and not _is_automagic(source):
        return source
    parts: list[str] = []
    done = 0
    for start, stop, prefix in _line_magics(source):
        parts += (source[done:start], prefix if prefix else _unknown(source[start:stop]))
        done = stop
    return "".join((*parts, source[done:]))


def _line_magics(source: str) -> Iterator[tuple[int, int, str]]:
    """Where each line magic begins and ends, and what stands in its place; nothing for a value that is not known."""
    at = 0
    automagic = _is_automagic(source)
    while at < len(source):
        indentation = _INDENTATION.match(source, at)
        indented = indentation is not None and indentation.end() > at
        at = indentation.end() if indentation else at
        if source.startswith(_ESCAPES, at) or automagic:
            end = _end_of_magic(source, at)
            timed = _TIMED.match(source, at, end)
            if timed and _is_simple_statement(source[timed.end() : end]):
                yield at, timed.end(), "0".ljust(timed.end() - at - 1) + ";"
            else:
                # Nothing but a comment may stand before imports from __future__; a block may need a statement.
                yield at, end, "" if indented else _commented(source[at:end])
            at = end
        elif assigned := _ASSIGNED.match(source, at):
            end = _end_of_magic(source, assigned.end())
            yield assigned.end(), end, ""
            at = end
        else:
            end, is_help = _end_of_statement(source, at)
            if is_help:
                yield at, end, "" if indented else _commented(source[at:end])
            at = end
        if newline := _LINE_END.match(source, at):
            at = newline.end()


def _is_automagic(source: str) -> bool:
    """Whether a cell is a magic without its percent sign. What Python reads is Python, as `ls -l` is."""
    return _AUTOMAGIC.fullmatch(source) is not None and not _is_simple_statement(source.strip())


def _end_of_magic(source: str, at: int) -> int:
    found = _TO_END_OF_LINE.match(source, at)
    assert found is not None  # it matches nothing, too
    return found.end()


def _end_of_statement(source: str, at: int) -> tuple[int, bool]:
    """Where the lines of a statement end, and whether they ask for help: a question mark comes last."""
    depth = 0
    last = ""
    while piece := _PIECE.match(source, at):
        if piece["end"] and depth == 0:
            break
        at = piece.end()
        depth += 1 if piece["opening"] else -1 if piece["closing"] and depth else 0
        if not piece["end"] and piece[0].strip():
            last = piece["code"] or ""
    return at, last.rstrip().endswith("?")


def _is_simple_statement(text: str) -> bool:
    """Whether a text is one statement that may follow a semicolon."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return len(body) == 1 and not hasattr(body[0], "body") and "\n" not in text


def _unknown(text: str) -> str:
    """Lines of the same lengths: an unknown name in the first, and comments."""
    first = _LINE.match(text)
    size = len(first[0]) if first else 0
    return _UNKNOWN[:size] + "#" * (size - len(_UNKNOWN)) + _commented(text[size:])
