"""A fix with the quotes that its file writes. Rules write edits without a thought of them."""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import replace

from trainlint.finding import Edit, Fix, apply_edits
from trainlint.fixing.layout import layout
from trainlint.source import SourceFile

_PLAIN_STRING = re.compile(r"(?<![\w\"])\"([^\"'\\\n#]*)\"(?!\")")


def in_style_of_file(source: SourceFile, fix: Fix) -> Fix:
    """The fix with single quotes around the strings that it adds, where the file writes these more often.

    Settings stay as they are.
    """
    if not source.path.endswith((".py", ".pyi", ".ipynb")) or source.text.count("'") <= source.text.count('"'):
        return fix
    return replace(fix, edits=tuple(_requoted(source, edit) for edit in fix.edits))


def _requoted(source: SourceFile, edit: Edit) -> Edit:
    def single(found: re.Match[str]) -> str:
        return found[0] if found[0] in source.text else f"'{found[1]}'"

    if '"' not in edit.text or "'" in edit.text or '"""' in edit.text or "#" in edit.text:
        return edit
    other = Edit(edit.start, edit.stop, _PLAIN_STRING.sub(single, edit.text))
    return other if other == edit or _is_same_code(source, edit, other) else edit


def _is_same_code(source: SourceFile, one: Edit, other: Edit) -> bool:
    """Whether two edits make the same statement. An edit may begin within a string, so that its quotes mislead."""
    place = layout(source).around(one.start, one.stop)
    if place is None:
        return True  # whole lines between statements
    text = source.text[place.start : place.stop]
    both = (Edit(edit.start - place.start, edit.stop - place.start, edit.text) for edit in (one, other))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            first, second = (ast.dump(ast.parse(apply_edits(text, [edit]))) for edit in both)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return first == second
