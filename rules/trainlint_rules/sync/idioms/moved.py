"""Tensors that are made on the host and moved to the device at once, and how the move is taken out."""

from __future__ import annotations

import ast

from trainlint.analysis.effects.creations import COUNTED, FILLED, Creation, creation
from trainlint.analysis.effects.default_device import sets_default_device
from trainlint.analysis.programs.proved_torch import means_only, proved_torch
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, dotted, end_position, last_name, nodes_in
from trainlint.analysis.tables.waits.device_copies import MOVING_METHODS
from trainlint.analysis.types.values import Kind
from trainlint.finding import Edit
from trainlint.patterns import lazy

_SET_BY_SIZE = FILLED - {"full", "full_like", "eye"}
"""What a dtype changes exactly: zero and one are the same number in each."""
_WIDE = frozenset(f"torch.{name}" for name in "int64 long int32 int float32 float float64 double".split())
"""Types that hold the numbers of any range."""
_MOVE_TEXT = lazy(r"\s*\.\s*(to|cuda|type_as)\s*\(")


def goes_to_device(site: Site) -> bool:
    """Whether a call of one of MOVING_METHODS moves to the device."""
    name = last_name(site.call.func)
    if name == "type_as":
        return len(site.call.args) == 1
    if name == "type":
        like = _like_type(site)
        return like is not None and site.value(like).is_tensor
    return name == "cuda" or site.file.kinds.goes_to_device(site.call, site.block)


def _like_type(site: Site) -> ast.expr | None:
    """The tensor `x` in `made.type(x.type())`, whose device and dtype the result has; None for other calls."""
    if last_name(site.call.func) != "type" or len(site.call.args) != 1:
        return None
    match site.call.args[0]:
        case ast.Call(func=ast.Attribute(value=like, attr="type"), args=[]):
            return like
    return None


def device_of_move(site: Site) -> str:
    """The device that the factory is to be given, as the code names it."""
    target = argument(site.call, "device", 0)
    if target is None:
        return '"cuda"'
    like = _like_type(site)
    if like is not None:
        return f"{site.text(like)}.device"
    of_tensor = last_name(site.call.func) == "type_as" or site.value(target).is_tensor
    return f"{site.text(target)}.device" if of_tensor else site.text(target)


def factory_keywords(site: Site, made: Creation) -> list[tuple[str, str]]:
    """What the factory must be given so that the move can go. Raises Unfixable where that is not the same."""
    from trainlint.fixing.rewrite import Unfixable

    call, name = site.call, last_name(site.call.func)
    if name == "type":
        raise Unfixable("the move also changes the dtype")
    given = {keyword.arg for keyword in call.keywords}
    if not given <= {"device", "non_blocking"} or len(call.args) > 1:
        raise Unfixable("the move also changes the dtype or the layout")
    target = argument(call, "device", 0)
    if target is None:
        if name == "cuda":
            return [("device", '"cuda"')]
        raise Unfixable("the move names no device")
    source = site.source
    text = source.text[source.offset(target.lineno, target.col_offset) : source.offset(*end_position(target))]
    if name == "cuda" and not _names_device(site, target):
        raise Unfixable("a device of None is the present GPU for `cuda`, and the CPU for a factory")
    if name == "type_as" or site.value(target).is_tensor:
        has_dtype = argument(made.call, "dtype") is not None
        if made.factory not in _SET_BY_SIZE or has_dtype or dotted(target) is None:
            raise Unfixable("the move also changes the dtype")
        return [("device", f"{text}.device"), ("dtype", f"{text}.dtype")]
    return [("device", text)]


def is_surely_alike(site: Site, made: Creation) -> bool:
    """Whether a factory that is given the device of a move surely makes the same tensor there.

    The move also makes a tensor dense that was expanded or cut, takes a dtype for a dtype, and leaves None alone.
    """
    call, target = site.call, argument(site.call, "device", 0)
    if not means_only(made.call.func, site.block, {f"torch.{made.factory}"}):
        return False
    if sets_default_device(site.file) or site.file.outside.default_device_set:
        return False
    if made.factory in COUNTED and not _counts_exactly(site, made.call):
        return False
    if not _is_dense(site.receiver) or not _in_any_order(site.receiver, made.call, target):
        return False
    if made.factory.endswith("_like") and not proved_torch(site.file, made.call.args[0], site.block):
        return False
    if target is None:
        return True
    if last_name(call.func) == "type_as":
        return site.receiver is made.call  # the dtype changes last
    if site.value(target).is_tensor:
        return site.receiver is made.call and proved_torch(site.file, target, site.block)
    return is_no_dtype(site, target)


def is_no_dtype(site: Site, target: ast.expr) -> bool:
    """Whether what `.to(...)` is given surely is a device, or None, and neither a dtype nor another tensor."""
    return (isinstance(target, ast.Attribute) and target.attr == "device") or _names_device(site, target)


def _in_any_order(chain: ast.expr, factory: ast.Call, target: ast.expr | None) -> bool:
    """Whether the device may be asked for before the methods run that stand between the factory and the move."""
    if target is None or chain is factory:
        return True
    assigns = any(isinstance(part, ast.NamedExpr | ast.Await) for part in nodes_in(chain))
    return not assigns and (dotted(target) is not None or isinstance(target, ast.Constant))


def _counts_exactly(site: Site, call: ast.Call) -> bool:
    """Whether the numbers of a range surely have a type that holds them, which each device adds up in its own way."""
    dtype = argument(call, "dtype")
    return dtype is None or site.origin(dtype) in _WIDE


def _is_dense(node: ast.expr) -> bool:
    """Whether no expansion and no cut stands in a chain of calls and subscripts: `x[None, :]` only adds dimensions."""
    while isinstance(node, ast.Call | ast.Subscript):
        if isinstance(node, ast.Subscript):
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            if any(ast.unparse(part) not in ("None", ":", "...") for part in parts):
                return False
            node = node.value
        elif isinstance(node.func, ast.Attribute):
            if node.func.attr == "expand":
                return False
            node = node.func.value
        else:
            break
    return True


def _names_device(site: Site, target: ast.expr) -> bool:
    """Whether an expression is a device, or the number or name of one, beyond doubt."""
    if isinstance(target, ast.Constant) and type(target.value) in (str, int):
        return True
    return site.value(target).kind is Kind.DEVICE and proved_torch(site.file, target, site.block)


def removal(site: Site) -> Edit:
    """Take the move away from behind the expression. Raises Unfixable where comments or parentheses stand between."""
    from trainlint.fixing.rewrite import Unfixable

    source = site.source
    start, stop = source.offset(*end_position(site.receiver)), source.offset(*end_position(site.call))
    text = source.text[start:stop]
    if "#" in text or not _MOVE_TEXT.match(text):
        raise Unfixable("the move cannot be cut out by itself")
    return Edit(start, stop, "")


def made_and_moved(site: Site) -> Creation | None:
    """What is created at a place: by the call itself, or what a call of one of MOVING_METHODS moves to the device."""
    if last_name(site.call.func) not in MOVING_METHODS:
        return creation(site.file, site.call, site.block)
    if not isinstance(site.call.func, ast.Attribute) or not goes_to_device(site):
        return None
    return creation(site.file, site.receiver, site.block)
