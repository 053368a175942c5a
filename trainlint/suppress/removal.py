"""How an ignore comment is taken out of the text, or some of its words, with the rest of the line kept as it was."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from trainlint.finding import Edit, Fix, Safety

if TYPE_CHECKING:
    from trainlint.source import SourceFile
    from trainlint.suppress.comments import Directive, Word


def removal(source: SourceFile, directive: Directive, words: tuple[Word, ...]) -> Fix:
    """The fix that removes the words from a directive, or all of it with its reason when no word would be left."""
    kept = [word for word in directive.words or () if word not in words]
    if kept:
        title = f"Remove {', '.join(word.text for word in words)} from the comment"
        return Fix(title, (_without_words(source, directive, kept),), Safety.SAFE)
    return Fix("Remove the ignore comment", (_without_directive(source, directive),), Safety.SAFE)


def _without_words(source: SourceFile, directive: Directive, kept: list[Word]) -> Edit:
    """Each kept word but the first brings along the separator that stands before it."""
    words = directive.words or ()
    text = kept[0].text
    for before, word in pairwise(words):
        if word in kept[1:]:
            text += source.text[before.stop : word.start] + word.text
    return Edit(words[0].start, words[-1].stop, text)


def _without_directive(source: SourceFile, directive: Directive) -> Edit:
    line_start = source.line_starts[directive.line - 1]
    before = source.text[line_start : directive.start]
    after = source.text[directive.stop : directive.comment_stop]
    if after:  # another comment follows: it moves up to where this one began
        return Edit(directive.start, directive.comment_stop - len(after.lstrip()), "")
    if before.strip():
        return Edit(line_start + len(before.rstrip()), directive.comment_stop, "")
    is_last = directive.line == len(source.line_starts)
    return Edit(line_start, len(source.text) if is_last else source.line_starts[directive.line], "")
