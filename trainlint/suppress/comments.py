"""Reads ignore comments."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from token import COMMENT, DEDENT, ENDMARKER, INDENT, NEWLINE, NL
from typing import TYPE_CHECKING

from trainlint.patterns import lazy
from trainlint.suppress.hint import HINT
from trainlint.training_settings.files import is_settings

if TYPE_CHECKING:
    import tokenize

    from trainlint.source import SourceFile

_HEAD = lazy(
    r"#\s*(?:trainlint\s*:\s*(?P<verb>ignore-file|ignore)(?![\w-])|(?P<tool>(?:flake8|ruff)\s*[:=]\s*)?noqa(?![\w-]))",
    re.IGNORECASE,
)
_BRACKETS = lazy(r"\s*\[([^\]#]*)\]?")
_COLON = lazy(r"\s*:\s*")
_WORD = lazy(r"[^\s,\[\]#]+")
_LISTED_WORD = lazy(r"(?:\s*,\s*|\s+)?([A-Za-z][\w-]*)")
_CODE = lazy(r"[A-Z]+[0-9]+", re.IGNORECASE)
_NEXT_COMMENT = lazy(r"#\s*[A-Za-z]")
"""What ends a reason: another comment on the line. "#12" is a ticket, and belongs to the reason."""

_HOLDING_STATEMENTS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_BEFORE_STATEMENT = ("", "@")
"""What may stand before a statement, or its first decorator, where it begins a line."""
_BETWEEN_STATEMENTS = frozenset((NL, COMMENT, INDENT, DEDENT, ENDMARKER, NEWLINE))


@dataclass(frozen=True, slots=True)
class Word:
    """A code or a name as it is written in a comment, with its offsets in the text."""

    text: str
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Directive:
    """An ignore comment, or one of several on a line."""

    words: tuple[Word, ...] | None
    """What it silences; None for everything."""
    of_trainlint: bool
    """Written `trainlint:`; a `noqa` may be there for other tools."""
    whole_file: bool
    line: int
    start: int
    """The offset of its number sign."""
    head_stop: int
    """The offset behind its words, where a reason may follow."""
    stop: int
    """The offset behind its reason."""
    comment_stop: int
    """The offset behind all comments on the line."""

    @property
    def is_bare_noqa(self) -> bool:
        """Whether it is a `noqa` without codes, which is there for other tools as well."""
        return self.words is None and not self.of_trainlint


@dataclass(frozen=True, slots=True)
class Comments:
    """The ignore comments of a file, and which lines belong together."""

    directives: tuple[Directive, ...]
    first_lines: dict[int, int]
    """For each later line of a statement (of a block: of its header) that spans several, its first line."""
    last_lines: dict[int, int]
    """For each line of a statement (of a block: of its header) its last line, behind which a comment may stand."""

    def statement(self, line: int) -> int:
        """The first line of the statement, or of the block's header, that a line belongs to."""
        return self.first_lines.get(line, line)


def read_comments(
    source: SourceFile,
    is_rule: Callable[[str], bool],
    tree: ast.Module | None = None,
    wanted: Iterable[int] | None = None,
) -> Comments:
    """All ignore comments of a file. `is_rule` tells a rule's name from the first word of a reason.

    Of a file that is no valid Python, those before the place where its tokens end. With the file's `tree`, only those
    statements of its module, classes and functions are tokenized that look as if they held such a comment: reading
    tokens takes twice as long as parsing. Where only the statements of some lines are `wanted`, others are left out.
    """
    from trainlint.analysis.comments.tokens import tokens  # few files hold an ignore comment

    directives: list[Directive] = []
    first_lines: dict[int, int] = {}
    last_lines: dict[int, int] = {}
    lines = sorted(wanted) if wanted is not None else None
    for start, stop in _stretches(source, tree):
        if lines is not None and bisect_left(lines, start) == bisect_left(lines, stop):
            continue
        first: int | None = None
        for token in tokens(source, start, stop):
            line = start + token.start[0] - 1
            if token.type == COMMENT:
                directives += _directives(source, token, line, is_rule)
            if first is None and token.type not in _BETWEEN_STATEMENTS:
                first = line
            elif first is not None and token.type == NEWLINE:
                first_lines |= dict.fromkeys(range(first + 1, line + 1), first)
                last_lines |= dict.fromkeys(range(first, line + 1), line)
                first = None
    return Comments(tuple(directives), first_lines, last_lines)


def _stretches(source: SourceFile, tree: ast.Module | None) -> Iterator[tuple[int, int]]:
    """The lines to read, as ranges without their last: from a statement up to the next that begins at its level."""
    lines = len(source.line_starts)
    if tree is None or is_settings(source.path):
        yield 1, lines + 1
        return
    bounds = [1]
    for begins in _first_lines(source, tree.body):
        if begins > bounds[-1]:
            bounds.append(begins)
    bounds.append(lines + 1)
    hints = [source.position(found.start())[0] for found in HINT.finditer(source.text)]
    for number in sorted({bisect_right(bounds, line) for line in hints}):
        yield bounds[number - 1], bounds[number]


def _first_lines(source: SourceFile, body: Sequence[ast.stmt]) -> Iterator[int]:
    """The first lines of the statements of a module and of its classes and functions, as far as no line is shared."""
    text, starts = source.text, source.line_starts
    for statement in body:
        line, column = statement.lineno, statement.col_offset
        if isinstance(statement, _HOLDING_STATEMENTS) and statement.decorator_list:
            line, column = min((node.lineno, node.col_offset) for node in (statement, *statement.decorator_list))
        start = starts[line - 1]
        line_before = text[starts[line - 2] : start] if line > 1 else ""
        if text[start : start + column].strip() in _BEFORE_STATEMENT and not line_before.rstrip("\r\n").endswith("\\"):
            yield line
        if isinstance(statement, _HOLDING_STATEMENTS):
            yield from _first_lines(source, statement.body)


def _directives(
    source: SourceFile, token: tokenize.TokenInfo, line: int, is_rule: Callable[[str], bool]
) -> Iterator[Directive]:
    column = token.start[1]
    comment_start = source.line_starts[line - 1] + column
    comment = token.string
    own_line = not token.line[:column].strip()
    for head in _HEAD.finditer(comment):
        words, head_stop = _read_words(comment, head, is_rule)
        whole_file = head["tool"] is not None or (head["verb"] or "").lower() == "ignore-file"
        if whole_file and not own_line:
            continue  # it would silence far more than its line
        if head["tool"] is not None and words is None:
            continue  # it takes the file from that tool, which says nothing of ours
        following = _NEXT_COMMENT.search(comment, head_stop)
        stop = len(comment[: following.start() if following else len(comment)].rstrip())
        yield Directive(
            words=None
            if words is None
            else tuple(Word(text, comment_start + start, comment_start + end) for text, start, end in words),
            of_trainlint=head["verb"] is not None,
            whole_file=whole_file,
            line=line,
            start=comment_start + head.start(),
            head_stop=comment_start + head_stop,
            stop=comment_start + stop,
            comment_stop=comment_start + len(comment.rstrip()),
        )


def _read_words(
    comment: str, head: re.Match[str], is_rule: Callable[[str], bool]
) -> tuple[list[tuple[str, int, int]] | None, int]:
    """The words of one directive with their positions (None: it silences all), and where they end."""
    brackets = _BRACKETS.match(comment, head.end()) if head["verb"] else None
    if brackets is not None:
        found = _WORD.finditer(comment, *brackets.span(1))
        return [(word.group(), *word.span()) for word in found], brackets.end()
    colon = _COLON.match(comment, head.end())
    if colon is None and head["verb"] is None:
        return None, head.end()
    words: list[tuple[str, int, int]] = []
    position = colon.end() if colon else head.end()
    while (listed := _LISTED_WORD.match(comment, position)) and (_CODE.fullmatch(listed[1]) or is_rule(listed[1])):
        words.append((listed[1], *listed.span(1)))
        position = listed.end()
    return (words, position) if words else (None, head.end())
