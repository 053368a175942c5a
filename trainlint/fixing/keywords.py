"""Edits of one argument of a call: another name and value for it, or none of it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trainlint.finding import Edit
from trainlint.fixing.expressions import replace_expression
from trainlint.fixing.layout import Unfixable, extent
from trainlint.fixing.segment import expression
from trainlint.source import SourceFile

if TYPE_CHECKING:
    import libcst as cst


def rename_argument(source: SourceFile, call: ast.Call, index: int, name: str, value: str | None = None) -> Edit:
    """Give the argument at `index`, positional ones first, another name; and another value, where one is given.

    Raises Unfixable for an unpacked argument, and where the call names the new one already.
    """
    import libcst as cst

    if any(given.arg == name for given in call.keywords):
        raise Unfixable(f"the call at line {call.lineno} of {source.path} gives `{name}` already")
    node = _call(source, call)
    given = node.args[index]
    if given.star:
        raise Unfixable(f"the call at line {call.lineno} of {source.path} unpacks its arguments")
    equal = given.equal
    if not isinstance(equal, cst.AssignEqual):
        equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    new = given.with_changes(keyword=cst.Name(name), equal=equal)
    if value is not None:
        new = new.with_changes(value=cst.parse_expression(value))
    args = [*node.args[:index], new, *node.args[index + 1 :]]
    return replace_expression(source, call, node.with_changes(args=args))


def move_argument_behind(source: SourceFile, call: ast.Call, index: int, name: str) -> Edit:
    """Give a positional argument as the keyword `name`, behind all others.

    Raises Unfixable where a comment stands between the arguments: whose it is cannot be told.
    """
    import libcst as cst

    node = _call(source, call)
    start, stop = extent(source, call)
    if "#" in source.text[start:stop]:
        raise Unfixable(f"comments stand in the call at line {call.lineno} of {source.path}")
    moved, last = node.args[index], node.args[-1]
    none = cst.SimpleWhitespace("")
    named = moved.with_changes(
        keyword=cst.Name(name),
        equal=cst.AssignEqual(none, none),
        comma=last.comma,
        whitespace_after_arg=last.whitespace_after_arg,
    )
    others = [*node.args[:index], *node.args[index + 1 :]]
    others[-1] = others[-1].with_changes(comma=moved.comma, whitespace_after_arg=moved.whitespace_after_arg)
    return replace_expression(source, call, node.with_changes(args=[*others, named]))


def remove_arguments(source: SourceFile, call: ast.Call, *names: str) -> Edit:
    """Give the keyword arguments of these names no longer; the layout of the others stays.

    Raises Unfixable where a comment stands between the arguments: whose it is cannot be told.
    """
    import libcst as cst

    node = _call(source, call)
    start, stop = extent(source, call)
    if "#" in source.text[start:stop]:
        raise Unfixable(f"comments stand in the call at line {call.lineno} of {source.path}")
    kept = [item for item in node.args if item.keyword is None or item.keyword.value not in names]
    if len(kept) == len(node.args):
        raise Unfixable(f"the call at line {call.lineno} of {source.path} gives none of {', '.join(names)}")
    if kept and kept[-1] is not node.args[-1]:
        last = node.args[-1]
        kept[-1] = kept[-1].with_changes(comma=last.comma, whitespace_after_arg=last.whitespace_after_arg)
    changes: dict[str, object] = {"args": kept}
    if not kept:
        changes["whitespace_before_args"] = cst.SimpleWhitespace("")
    return replace_expression(source, call, node.with_changes(**changes))


def _call(source: SourceFile, call: ast.Call) -> cst.Call:
    import libcst as cst

    node = expression(source, call)
    if not isinstance(node, cst.Call):
        raise Unfixable(f"the expression at line {call.lineno} of {source.path} is no call")
    return node
