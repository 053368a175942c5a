"""Comments that give a reason for the line that they stand at: "crashes otherwise", "needed for", a link to an issue.

What only says what the code does ("compute the loss", "move to the GPU") is none. Of 236 comments at lines that rules
reported in twelve repositories, 17 count.
"""

from __future__ import annotations

import re
from token import COMMENT, DEDENT, ENDMARKER, INDENT, NEWLINE, NL
from typing import TYPE_CHECKING, NamedTuple

from trainlint.analysis.comments.tokens import tokens
from trainlint.analysis.syntax.memo import once
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

_REASON = lazy(
    # Words for a reason, and for what was done on purpose.
    r"\b(?:because|due to|hence|or else|work-?arounds?|works? around|hacks?|bugs?|on purpose|purposely|"
    r"intentional(?:ly)?|deliberate(?:ly)?|without (?:this|it)|needs? (?:this|it)|(?:keep|leave) (?:this|it)|"
    r"compatibility|incompatible)\b"
    # What goes wrong else.
    r"|\b(?:crash(?:es)?|hangs?|deadlocks?|segfaults?|race condition|a race|leaks?|out of memory|oom|breaks|"
    r"to avoid|avoids|to prevent|prevents?|fails (?:with|on|for|in|under|when))\b|^avoid"
    r"|\botherwise(?=\W{0,3}$|,? [^.;]{0,80}\b(?:will|would|could|may|might|can)\b)"
    r"|(?:\bnot|n't|\bnever|\bcannot) (?:work|support|accept|allow|handle\b|compatible)"
    # What has to be.
    r"|\b(?:do not|don't|never) (?:remove|delete|change|touch|move|replace)\b"
    r"|(?<!not )(?<!longer )\b(?:needed|required|necessary)"
    r"(?= (?:for|by|to|because|since|here|as|on|in|with|when|so)\b|[^\w ]|$)"
    r"|\b(?:must|needs? to|has to|have to) (?:be|stay|remain|come|happen|run|go)\b"
    # An issue.
    r"|\bgithub\.com/[\w.-]{1,60}/[\w.-]{1,60}/(?:issues|pull|discussions)/|\bdiscuss\.pytorch\.org/"
    r"|(?:\bissues?|\bsee|\bfix(?:es)?|\bpr|\w/[\w.-]{1,60}) ?#\d|\bissue \d",
    re.IGNORECASE,
)
_ON_CONDITION = lazy(r"\b(?:if|as|when|where|whether) [^.;,:()]{0,60}\b(?:needed|required|necessary)\b", re.IGNORECASE)
"""As in "convert it if needed"."""
_DIRECTIVE = lazy(r"#\s*(?:trainlint\s*:|noqa\b).*", re.IGNORECASE)
"""What silences one rule gives no reason to the others."""
_BETWEEN_STATEMENTS = frozenset((NL, COMMENT, INDENT, DEDENT, ENDMARKER, NEWLINE))


class _Lines(NamedTuple):
    comments: dict[int, str]
    """Line → what a comment on it says."""
    alone: set[int]
    """The lines that hold nothing but a comment."""
    statements: dict[int, tuple[int, int]]
    """Line → first and last line of its statement, or of the header of its block."""


def is_explained(file: SemanticModel, line: int) -> bool:
    """Whether a comment on the statement of a line, or directly above it, gives a reason for what stands there."""
    if "#" not in file.source.text:
        return False
    lines = _lines(file)
    first, last = lines.statements.get(line, (line, line))
    above = first
    while above - 1 in lines.alone:
        above -= 1
    said = " ".join(lines.comments[number] for number in range(above, last + 1) if number in lines.comments)
    return bool(_REASON.search(_ON_CONDITION.sub("", said)))


@once
def _lines(file: SemanticModel) -> _Lines:
    found = _Lines({}, set(), {})
    first: int | None = None
    for token in tokens(file.source, 1, len(file.source.line_starts) + 1):
        line = token.start[0]
        if token.type == COMMENT:
            found.comments[line] = _DIRECTIVE.sub("", token.string).strip("#!: \t")
            if not token.line[: token.start[1]].strip():
                found.alone.add(line)
        if first is None and token.type not in _BETWEEN_STATEMENTS:
            first = line
        elif first is not None and token.type == NEWLINE:
            found.statements.update(dict.fromkeys(range(first, line + 1), (first, line)))
            first = None
    return found
