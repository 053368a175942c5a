"""Edits of a call's keyword arguments, in the layout in which the call is written."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.names import end_position
from trainlint.finding import Edit
from trainlint.fixing.expressions import replace_by_text, replace_expression
from trainlint.fixing.layout import Unfixable, extent, layout
from trainlint.fixing.segment import expression, expression_extent, splice
from trainlint.patterns import lazy
from trainlint.source import SourceFile

if TYPE_CHECKING:
    import libcst as cst

_BEHIND_LAST = lazy(r"(?P<comma>,(?:[ \t]{0,200}#[^\n]{0,500})?)\n[ \t]{0,500}\)|\)")
"""What may follow the last argument of a call that is laid out on several lines."""


def add_keyword(
    source: SourceFile,
    call: ast.Call,
    name: str,
    value: str,
    *,
    keyword_only: bool = False,
    proved_absent: bool = False,
) -> Edit:
    """Add `name=value` behind the last argument, before any `**`: on a line of its own where the last two have one.

    Raises Unfixable if the call names the argument already, or may give it by `*args` or `**options`. The former cannot
    be for an argument that is `keyword_only`, and neither where it is `proved_absent`.
    """
    if any(given.arg == name for given in call.keywords):
        raise Unfixable(f"the call at line {call.lineno} of {source.path} gives `{name}` already")
    by_position = not keyword_only and any(isinstance(item, ast.Starred) for item in call.args)
    if not proved_absent and (by_position or any(given.arg is None for given in call.keywords)):
        raise Unfixable(f"the call at line {call.lineno} of {source.path} may unpack `{name}`")
    start, stop = expression_extent(source, call)
    if _is_plain(source, call, start, stop):
        return Edit(stop - 1, stop - 1, f", {name}={value}")
    return _on_own_line(source, call, start, stop, f"{name}={value}") or _added(source, call, name, value)


def _is_plain(source: SourceFile, call: ast.Call, start: int, stop: int) -> bool:
    """Whether a call stands on one line, as PEP 8 writes it, with arguments that another one can just follow.

    Most calls do, and for them LibCST is not needed, whose import alone takes as long as judging a dozen files.
    """
    last = _last(call)
    if last is None or any(char in source.text[start:stop] for char in "\r\n#"):
        return False
    return extent(source, last)[1] == stop - 1 and _has_plain_keywords(source, call)


def _last(call: ast.Call) -> ast.expr | None:
    """The value of a call's last argument; None where there is none, or one that would need parentheses."""
    last = max((*call.args, *(given.value for given in call.keywords)), key=end_position, default=None)
    return last if not isinstance(last, ast.GeneratorExp) else None


def _has_plain_keywords(source: SourceFile, call: ast.Call) -> bool:
    """Whether each keyword is written `name=value`, and none is unpacked."""
    for given in call.keywords:
        written = source.text[source.offset(given.lineno, given.col_offset) : extent(source, given.value)[0]]
        if given.arg is None or written != f"{given.arg}=":
            return False
    return True


def _on_own_line(source: SourceFile, call: ast.Call, start: int, stop: int, keyword: str) -> Edit | None:
    """The edit for a call whose arguments, all but some at its beginning, begin lines; None for any other layout.

    That is how formatters and people lay out long calls: the last two arguments tell how the next is written. What
    follows the last one is the closing parenthesis, or a comma and perhaps a comment, and the parenthesis on the next
    line.
    """
    last = _last(call)
    if last is None or any(char in source.text[start:stop] for char in "\r\f\\"):
        return None
    given: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    beginnings = sorted([source.offset(node.lineno, node.col_offset) for node in given])
    beginnings = beginnings[-2:] if len(beginnings) > 2 else beginnings[-1:]
    indentations = [_indentation_before(source, beginning) for beginning in beginnings]
    behind = _BEHIND_LAST.fullmatch(source.text, extent(source, last)[1], stop)
    if None in indentations or behind is None or not _has_plain_keywords(source, call):
        return None
    line = f"\n{indentations[-1]}{keyword}"
    if behind["comma"] is None:
        return Edit(stop - 1, stop - 1, f",{line}")
    place = behind.end("comma")
    return splice(source, start, stop, f"{source.text[start:place]}{line},{source.text[place:stop]}")


def _indentation_before(source: SourceFile, beginning: int) -> str | None:
    """What stands before an argument on its line, where that is nothing but spaces and tabs."""
    before = source.text[source.text.rfind("\n", 0, beginning) + 1 : beginning]
    return before if not before.strip(" \t") else None


def _added(source: SourceFile, call: ast.Call, name: str, value: str) -> Edit:
    """The same in any layout."""
    import libcst as cst

    node = expression(source, call)
    if not isinstance(node, cst.Call):
        raise Unfixable(f"the expression at line {call.lineno} of {source.path} is no call")
    keyword = cst.Arg(cst.parse_expression(value), cst.Name(name), equal=_equal_sign(node))
    place = next((index for index, argument in enumerate(node.args) if argument.star == "**"), len(node.args))
    if not node.args:
        new = _as_only_argument(node, keyword, layout(source).unit)
    elif place < len(node.args):
        new = _before(node, keyword, place)
    else:
        new = _behind_the_last(node, keyword)
    return replace_expression(source, call, new)


def set_keyword(source: SourceFile, call: ast.Call, name: str, value: str, *, proved_absent: bool = False) -> Edit:
    """Give the keyword argument `name` another value, or add it where the call does not name it, as `add_keyword`."""
    for given in call.keywords:
        if given.arg == name:
            return replace_by_text(source, given.value, value)
    return add_keyword(source, call, name, value, proved_absent=proved_absent)


def _as_only_argument(node: cst.Call, keyword: cst.Arg, unit: str) -> cst.Call:
    import libcst as cst

    opening = node.whitespace_before_args
    if not isinstance(opening, cst.ParenthesizedWhitespace):
        return node.with_changes(args=[keyword], whitespace_before_args=cst.SimpleWhitespace(""))
    deeper = opening.with_changes(last_line=cst.SimpleWhitespace(opening.last_line.value + unit))
    keyword = keyword.with_changes(comma=cst.Comma(whitespace_after=_line_break(opening)))
    return node.with_changes(args=[keyword], whitespace_before_args=deeper)


def _behind_the_last(node: cst.Call, keyword: cst.Arg) -> cst.Call:
    """The comments behind the last argument stay with it where each argument has its line, else at the line's end."""
    import libcst as cst

    last = node.args[-1]
    if isinstance(last.value, cst.GeneratorExp) and not last.value.lpar:
        bare = last.value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        last = last.with_changes(value=bare)
    closing = last.comma.whitespace_after if isinstance(last.comma, cst.Comma) else last.whitespace_after_arg
    gap = _gap_of_own_lines(node)
    between: cst.BaseParenthesizableWhitespace = gap or cst.SimpleWhitespace(" ")
    if gap and isinstance(closing, cst.ParenthesizedWhitespace):
        between = closing.with_changes(indent=gap.indent, last_line=gap.last_line)
        closing = _line_break(closing)
    if isinstance(last.comma, cst.Comma):
        last = last.with_changes(comma=last.comma.with_changes(whitespace_after=between))
        keyword = keyword.with_changes(comma=cst.Comma(whitespace_after=closing))
    else:
        nothing = cst.SimpleWhitespace("")
        last = last.with_changes(comma=cst.Comma(whitespace_after=between), whitespace_after_arg=nothing)
        keyword = keyword.with_changes(whitespace_after_arg=closing)
    return node.with_changes(args=[*node.args[:-1], last, keyword])


def _before(node: cst.Call, keyword: cst.Arg, place: int) -> cst.Call:
    """The comment lines above the argument at `place` stay above it."""
    import libcst as cst

    gap = _gap_of_own_lines(node)
    after: cst.BaseParenthesizableWhitespace = gap or cst.SimpleWhitespace(" ")
    args = list(node.args)
    previous = args[place - 1].comma if place else None
    if gap and isinstance(previous, cst.Comma) and isinstance(previous.whitespace_after, cst.ParenthesizedWhitespace):
        above = previous.whitespace_after
        after = _line_break(above).with_changes(empty_lines=above.empty_lines)
        previous = previous.with_changes(whitespace_after=above.with_changes(empty_lines=[]))
        args[place - 1] = args[place - 1].with_changes(comma=previous)
    args.insert(place, keyword.with_changes(comma=cst.Comma(whitespace_after=after)))
    return node.with_changes(args=args)


def _gap_of_own_lines(node: cst.Call) -> cst.ParenthesizedWhitespace | None:
    """What stands between two arguments where the last two have lines of their own; None for another layout."""
    import libcst as cst

    gaps = [argument.comma.whitespace_after for argument in node.args[:-1] if isinstance(argument.comma, cst.Comma)]
    last = gaps[-2:] or [node.whitespace_before_args]
    breaks = [gap for gap in last if isinstance(gap, cst.ParenthesizedWhitespace)]
    return _line_break(breaks[-1]) if len(breaks) == len(last) else None


def _line_break(whitespace: cst.ParenthesizedWhitespace) -> cst.ParenthesizedWhitespace:
    """The same line break, without comments and empty lines."""
    import libcst as cst

    end = cst.TrailingWhitespace(newline=whitespace.first_line.newline)
    return cst.ParenthesizedWhitespace(end, indent=whitespace.indent, last_line=whitespace.last_line)


def _equal_sign(node: cst.Call) -> cst.AssignEqual:
    """The equal sign as this call writes it; PEP 8's where it has none."""
    import libcst as cst

    for argument in reversed(node.args):
        sign = argument.equal
        if isinstance(sign, cst.AssignEqual) and _is_on_one_line(sign):
            return sign
    return cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))


def _is_on_one_line(sign: cst.AssignEqual) -> bool:
    import libcst as cst

    parts = (sign.whitespace_before, sign.whitespace_after)
    return all(isinstance(part, cst.SimpleWhitespace) and part.value in ("", " ") for part in parts)
