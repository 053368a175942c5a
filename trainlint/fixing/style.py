"""A fix in the style of its file: the quotes that the file writes, and no line that is longer than those it has.

Rules write edits without a thought of either; here is the one place that sees to both.
"""

from __future__ import annotations

import ast
import re
import warnings
from bisect import bisect_left, bisect_right
from dataclasses import replace

from trainlint.finding import Edit, Fix, apply_edits
from trainlint.fixing.apply import fix_problem
from trainlint.fixing.long_lines import first_line, is_too_long, without_long_lines
from trainlint.source import SourceFile

_PLAIN_STRING = re.compile(r"(?<![\w\"])\"([^\"'\\\n#]*)\"(?!\")")


def fits(source: SourceFile, fix: Fix) -> bool:
    """Whether the file can take a fix as it is laid out: no line gets longer than all that it has."""
    is_code = source.path.endswith((".py", ".pyi", ".ipynb"))
    return not is_code or fix_problem(source, fix) is not None or not is_too_long(source, fix)


def in_style_of_file(source: SourceFile, fix: Fix) -> Fix:
    """The fix with the file's quotes and without lines longer than those of the file. Settings stay as they are."""
    if not source.path.endswith((".py", ".pyi", ".ipynb")) or fix_problem(source, fix) is not None:
        return fix
    quoted = replace(fix, edits=tuple(_requoted(source, edit) for edit in fix.edits))
    styled = without_long_lines(source, quoted)
    return styled if styled.edits == fix.edits or _is_same_program(source, fix, styled) else fix


def _is_same_program(source: SourceFile, one: Fix, other: Fix) -> bool:
    """Whether two fixes make the same program. An edit may begin within a string, so that its quotes mislead."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            edits = (*one.edits, *other.edits)
            before = source.text.count("\n", 0, min(edit.start for edit in edits))
            behind = source.text.count("\n", max(edit.stop for edit in edits))
            parts = [_touched(apply_edits(source.text, fix.edits), before, behind) for fix in (one, other)]
            return parts[0] == parts[1]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _touched(text: str, before: int, behind: int) -> str:
    """What a program holds besides so many first and last lines, which are the same in the other program.

    A file with bare carriage returns is compared whole, since they end lines for Python.
    """
    tree = ast.parse(text)
    if "\r" in text.replace("\r\n", ""):
        return ast.dump(tree)
    return _body(tree.body, before, text.count("\n") + 1 - behind)


def _body(body: list[ast.stmt], before: int, last: int) -> str:
    """The statements of a body that hold lines between the line `before` and the line `last`, that one included.

    With them goes how many follow, and where the first that follows begins, counted from the last line that differs.
    Where these two agree in two programs, all that follows is the same. The last statement before the first edit is
    taken in, since an `else` may go on with it.
    """
    begin = max(bisect_left(body, before + 1, key=_last_line) - 1, 0)
    end = bisect_right(body, last, key=first_line)
    follows = (first_line(body[end]) - last, body[end].col_offset) if end < len(body) else (0, 0)
    return repr(([_statement(item, before, last) for item in body[begin:end]], len(body) - end, follows))


def _statement(node: ast.AST, before: int, last: int) -> str:
    """A statement, or a part of one that holds statements: of a long function, too, only what an edit may change."""
    found = [type(node).__name__]
    for name, value in ast.iter_fields(node):
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            found.append(f"{name}={_body(value, before, last)}")
        elif isinstance(value, list):
            holds = [_statement(item, before, last) if hasattr(item, "body") else _dump(item) for item in value]
            found.append(f"{name}={holds}")
        else:
            found.append(f"{name}={_dump(value)}")
    return f"({', '.join(found)})"


def _dump(value: object) -> str:
    return ast.dump(value) if isinstance(value, ast.AST) else repr(value)


def _last_line(statement: ast.stmt) -> int:
    return statement.end_lineno or statement.lineno


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
