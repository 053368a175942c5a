"""Edits of one argument of a call: another name and value for it, or none of it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
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

    Raises Unfixable for an unpacked argument, and where the call names the new one already or may unpack it.
    """
    return rename_arguments(source, call, {index: (name, value)})


def rename_arguments(source: SourceFile, call: ast.Call, new: Mapping[int, tuple[str, str | None]]) -> Edit:
    """The same for several arguments: index → the new name and, unless it stays, the new value."""
    import libcst as cst

    taken = {name for name, _ in new.values()}
    if any(given.arg in taken for given in call.keywords):
        raise Unfixable(f"the call at line {call.lineno} of {source.path} names the new argument already")
    if any(given.arg is None for given in call.keywords):
        raise Unfixable(f"the call at line {call.lineno} of {source.path} may unpack the new argument")
    node = _call(source, call)
    args = list(node.args)
    for index, (name, value) in new.items():
        given = args[index]
        if given.star:
            raise Unfixable(f"the call at line {call.lineno} of {source.path} unpacks its arguments")
        equal = given.equal
        if not isinstance(equal, cst.AssignEqual):
            equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
        args[index] = given.with_changes(keyword=cst.Name(name), equal=equal)
        if value is not None:
            args[index] = args[index].with_changes(value=cst.parse_expression(value))
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
    node = _call_without_comments(source, call)
    kept = [item for item in node.args if item.keyword is None or item.keyword.value not in names]
    if len(kept) == len(node.args):
        raise Unfixable(f"the call at line {call.lineno} of {source.path} gives none of {', '.join(names)}")
    return _with_only(source, call, node, kept)


def _call_without_comments(source: SourceFile, call: ast.Call) -> cst.Call:
    start, stop = extent(source, call)
    if "#" in source.text[start:stop]:
        raise Unfixable(f"comments stand in the call at line {call.lineno} of {source.path}")
    return _call(source, call)


def _with_only(source: SourceFile, call: ast.Call, node: cst.Call, kept: list[cst.Arg]) -> Edit:
    """The call with some of its arguments, of which the last is followed by what followed the last of all."""
    import libcst as cst

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
