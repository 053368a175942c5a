"""A fix in the style of its file: the quotes that the file writes, and no line that is longer than those it has.

Rules write edits without a thought of either; here is the one place that sees to both.
"""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import replace

from trainlint.finding import Edit, Fix
from trainlint.fixing.apply import apply_edits, flaw
from trainlint.fixing.long_lines import without_long_lines
from trainlint.source import SourceFile

_PLAIN_STRING = re.compile(r"(?<![\w\"])\"([^\"'\\\n#]*)\"(?!\")")


def in_style_of_file(source: SourceFile, fix: Fix) -> Fix:
    """The fix with the file's quotes and without lines longer than those of the file. Settings stay as they are."""
    if not source.path.endswith((".py", ".pyi")) or flaw(source, fix) is not None:
        return fix
    quoted = replace(fix, edits=tuple(_requoted(source, edit) for edit in fix.edits))
    styled = without_long_lines(source, quoted)
    return styled if styled.edits == fix.edits or _is_same_program(source, fix, styled) else fix


def _is_same_program(source: SourceFile, one: Fix, other: Fix) -> bool:
    """Whether two fixes make the same program. An edit may begin within a string, so that its quotes mislead."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            trees = [ast.parse(apply_edits(source.text, fix.edits)) for fix in (one, other)]
            return ast.dump(trees[0]) == ast.dump(trees[1])
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _requoted(source: SourceFile, edit: Edit) -> Edit:
    """The edit with single quotes around the strings that it adds, where the file writes these more often."""
    text = source.text
    if '"' not in edit.text or text.count("'") <= text.count('"'):
        return edit

    def single(found: re.Match[str]) -> str:
        return found[0] if found[0] in text else f"'{found[1]}'"

    if "'" in edit.text or '"""' in edit.text or "#" in edit.text:
        return edit
    return Edit(edit.start, edit.stop, _PLAIN_STRING.sub(single, edit.text))
