"""Where the statements of a file end: behind their last line a comment may stand."""

from __future__ import annotations

import tokenize
from token import COMMENT, DEDENT, ENDMARKER, INDENT, NEWLINE, NL
from typing import TYPE_CHECKING

from trainlint.training_settings.files import is_settings

if TYPE_CHECKING:
    from trainlint.source import SourceFile

_BETWEEN = frozenset((NL, COMMENT, INDENT, DEDENT, ENDMARKER))


def ends_of_statements(source: SourceFile) -> dict[int, int]:
    """For each line of a statement (of a block: of its header), the line on which it ends.

    Of settings, each line of YAML ends itself; JSON has no comments, so no line of it is here.
    """
    if is_settings(source.path):
        lines = range(1, len(source.line_starts) + 1)
        return {} if source.path.endswith(".json") else {line: line for line in lines}
    ends: dict[int, int] = {}
    first: int | None = None
    lines_of_code = (f"{source.line(number)}\n" for number in range(1, len(source.line_starts) + 1))
    try:
        for token in tokenize.generate_tokens(lambda: next(lines_of_code, "")):
            line = token.start[0]
            if token.type == NEWLINE and first is not None:
                ends |= dict.fromkeys(range(first, line + 1), line)
                first = None
            elif first is None and token.type not in _BETWEEN:
                first = line
    except (tokenize.TokenError, SyntaxError):
        pass  # of a file that is no valid Python, the statements before
    return ends
