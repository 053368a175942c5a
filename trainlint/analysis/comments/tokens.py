"""Comments of a file, as Python's own tokenizer finds them, so that texts in strings never count.

In files of settings each line stands for itself: YAML's comments begin where a number sign follows a space.
"""

from __future__ import annotations

from token import COMMENT
from typing import TYPE_CHECKING

from trainlint.patterns import lazy
from trainlint.training_settings.files import is_settings

if TYPE_CHECKING:
    import tokenize
    from collections.abc import Iterator

    from trainlint.source import SourceFile

_SETTINGS_COMMENT = lazy(r"(?:(?<=\s)|^)#")


def tokens(source: SourceFile, start: int, stop: int) -> Iterator[tokenize.TokenInfo]:
    """The tokens of the lines from `start` to before `stop`, which they count from 1, up to what is no Python.

    Of a file of settings its comments alone, those of all lines.
    """
    import tokenize  # few files hold a comment that matters

    if is_settings(source.path):
        yield from _comments_of_settings(source)
        return
    # Each line ends as Python's tokenizer likes it best, whatever the file does, so that the line numbers agree.
    lines = (f"{source.line(number)}\n" for number in range(start, stop))
    try:
        yield from tokenize.generate_tokens(lambda: next(lines, ""))
    except (tokenize.TokenError, SyntaxError):
        return


def _comments_of_settings(source: SourceFile) -> Iterator[tokenize.TokenInfo]:
    import tokenize

    for number in range(1, len(source.line_starts) + 1):
        line = source.line(number)
        found = _SETTINGS_COMMENT.search(line)
        if found is not None:
            start, stop = (number, found.start()), (number, len(line))
            yield tokenize.TokenInfo(COMMENT, line[found.start() :], start, stop, line)
