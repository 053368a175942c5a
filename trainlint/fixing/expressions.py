"""Edits of expressions: another one in its place, a method call behind it, a call around it."""

from __future__ import annotations

import ast
import keyword
import re
import warnings
from typing import TYPE_CHECKING

from trainlint.finding import Edit
from trainlint.fixing.layout import Unfixable, extent, layout
from trainlint.fixing.segment import expression_extent, generate, splice
from trainlint.source import SourceFile

if TYPE_CHECKING:
    import libcst as cst

_OPENED = re.compile(r"(?:[(\[,]|(?<![=!<>:])=|\breturn)[ \t\f\r\n]*\Z")
_CLOSED = re.compile(r"[ \t\f\r\n]*[)\],]")
_CLOSING_PARENTHESIS = re.compile(r"[ \t\f\r\n]*\)")
_LAST_WORD = re.compile(r"\w+\Z")

# How strongly a form holds together, after the table of precedence in Python's reference.
_COMMA, _WALRUS, _PRIMARY = 0, 1, 17
_STRENGTH: dict[type[ast.AST], int] = {
    ast.Tuple: _COMMA,
    ast.Yield: _COMMA,
    ast.YieldFrom: _COMMA,
    ast.Starred: _COMMA,
    ast.GeneratorExp: _COMMA,
    ast.NamedExpr: _WALRUS,
    ast.Lambda: 2,
    ast.IfExp: 3,
    ast.Or: 4,
    ast.And: 5,
    ast.Not: 6,
    ast.Compare: 7,
    ast.BitOr: 8,
    ast.BitXor: 9,
    ast.BitAnd: 10,
    **dict.fromkeys((ast.LShift, ast.RShift), 11),
    **dict.fromkeys((ast.Add, ast.Sub), 12),
    **dict.fromkeys((ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.MatMult), 13),
    **dict.fromkeys((ast.UAdd, ast.USub, ast.Invert), 14),
    ast.Pow: 15,
    ast.Await: 16,
}


def replace_expression(source: SourceFile, node: ast.expr, new: cst.BaseExpression) -> Edit:
    """Put `new` where an expression stands, in parentheses where its place demands them.

    Parentheses that only held the old expression together go with it.
    """
    import libcst as cst

    start, stop = _whole_extent(source, node)
    code = generate(source, start, stop, cst.Expr(new))
    if not new.lpar and _needs_parentheses(source, node, code):
        code = f"({code})"
    elif _bare_strength(node) < _PRIMARY and isinstance(new, cst.Call):
        start, stop = _with_grouping(source, start, stop)
    return splice(source, start, stop, code)


def replace_by_text(source: SourceFile, node: ast.expr, code: str) -> Edit:
    """Put `code`, an expression on one line, where another one stands, in parentheses where its place demands them."""
    start, stop = _whole_extent(source, node)
    if not code.startswith("(") and _needs_parentheses(source, node, code):
        code = f"({code})"
    return splice(source, start, stop, code)


def append_attribute_call(source: SourceFile, node: ast.expr, text: str) -> tuple[Edit, ...]:
    """Add `text`, such as ".detach()", to an expression, in parentheses where precedence demands them."""
    start, stop = _whole_extent(source, node)
    if not _is_number(node) and _strength(source, node) == _PRIMARY:
        return (Edit(stop, stop, text),)
    closed = _end_of_grouping(source, start, stop)
    if closed is not None:
        return (Edit(closed, closed, text),)
    return Edit(start, start, "("), Edit(stop, stop, f"){text}")


def wrap_in_call(source: SourceFile, node: ast.expr, function: str) -> tuple[Edit, ...]:
    """Make an expression the one argument of a call: `function(expression)`."""
    start, stop = _whole_extent(source, node)
    opening, closing = ("((", "))") if _strength(source, node) == _COMMA else ("(", ")")
    return Edit(start, start, f"{function}{opening}"), Edit(stop, stop, closing)


def _whole_extent(source: SourceFile, node: ast.expr) -> tuple[int, int]:
    start, stop = expression_extent(source, node)
    if isinstance(node, ast.GeneratorExp) and not _is_grouping(source, start):
        raise Unfixable(f"the generator at line {node.lineno} of {source.path} shares the parentheses of a call")
    return start, stop


def _strength(source: SourceFile, node: ast.expr) -> int:
    """How strongly an expression of the file holds together as it is written."""
    # The extents of these two take in their own parentheses.
    if isinstance(node, ast.Tuple | ast.GeneratorExp) and source.text.startswith("(", extent(source, node)[0]):
        return _PRIMARY
    return _bare_strength(node)


def _bare_strength(node: ast.expr) -> int:
    form = node.op if isinstance(node, ast.BoolOp | ast.BinOp | ast.UnaryOp) else node
    return _STRENGTH.get(type(form), _PRIMARY)


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def _needs_parentheses(source: SourceFile, old: ast.expr, code: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        new = ast.parse(f"({code}\n)", mode="eval").body
    start, stop = extent(source, old)
    if _is_number(new) and source.text.startswith(".", stop):
        return True
    strength = _bare_strength(new)
    if strength >= _strength(source, old):
        return False
    return strength <= _WALRUS or not _is_delimited(source, start, stop)


def _is_delimited(source: SourceFile, start: int, stop: int) -> bool:
    """Whether brackets, commas or the statement's end stand at both sides, so that no operator can catch a part."""
    if not _OPENED.search(source.text, max(0, start - 200), start):
        return False
    place = layout(source).around(start, stop)
    return bool(_CLOSED.match(source.text, stop)) or (place is not None and place.stop == stop)


def _end_of_grouping(source: SourceFile, start: int, stop: int) -> int | None:
    """Where the parentheses end that stand around the characters [start, stop) and around nothing else."""
    before = source.text[:start].rstrip(" \t\f\r\n")
    closing = _CLOSING_PARENTHESIS.match(source.text, stop)
    if not before.endswith("(") or closing is None or not _is_grouping(source, len(before) - 1):
        return None
    return closing.end()


def _with_grouping(source: SourceFile, start: int, stop: int) -> tuple[int, int]:
    """The extent of an expression, with the parentheses right around it, unless a word stands right before them."""
    opening = start - 1
    closed = _end_of_grouping(source, start, stop)
    touched = opening > 0 and (source.text[opening - 1].isalnum() or source.text[opening - 1] == "_")
    if closed != stop + 1 or source.text[opening : opening + 1] != "(" or touched:
        return start, stop
    return opening, closed


def _is_grouping(source: SourceFile, parenthesis: int) -> bool:
    """Whether an opening parenthesis surely groups; else it may call, or belong to a definition."""
    place = layout(source).around(parenthesis, parenthesis)
    if place is not None and place.start == parenthesis:
        return True
    before = source.text[:parenthesis].rstrip(" \t\f\r\n")
    line = source.position(len(before))[0]
    if line != source.position(parenthesis)[0] and "#" in source.line(line):
        return False  # What stands before may be a comment.
    word = _LAST_WORD.search(before, max(0, len(before) - 20))
    if word:
        return keyword.iskeyword(word.group()) and word.group() not in ("None", "True", "False")
    return before.endswith(tuple("([{,=+-*/%@&|^~<>:;"))
