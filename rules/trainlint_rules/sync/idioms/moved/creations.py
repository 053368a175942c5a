"""Tensors that are made on the host and brought to the device: where they are stored, and how the move is taken out."""

from __future__ import annotations

import ast

from trainlint.analysis.effects.creations import COUNTED, FILLED, Content, Creation, creation
from trainlint.analysis.effects.default_device import sets_default_device
from trainlint.analysis.effects.forward import computes, sets_up
from trainlint.analysis.programs.proved_torch import proved_name, proved_torch
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.syntax.names import argument, constant, dotted, end_position, last_name, nodes_in
from trainlint.analysis.syntax.reaching import single_value
from trainlint.analysis.tables.waits.device_copies import MOVING_METHODS
from trainlint.analysis.types.calls.integers import is_integer
from trainlint.analysis.types.values import Home, Kind
from trainlint.contract.guard import guard
from trainlint.finding import Confidence, Edit, Heat
from trainlint.patterns import lazy
from trainlint_rules.sync.idioms.counted_shapes import may_not_train
from trainlint_rules.sync.idioms.host_lists import is_list

_SET_BY_SIZE = FILLED - {"full", "full_like", "eye"}
"""What a dtype changes exactly: zero and one are the same number in each."""
_DOUBTS = {Content.DRAWN: 1, Content.NUMBER: 1, Content.NUMBERS: 1, Content.DATA: 2}
"""Where a factory saves little: these values come from the host in any case."""
_WIDE = frozenset(f"torch.{name}" for name in "int64 long int32 int float32 float float64 double".split())
"""Types that hold the numbers of any range."""
_PERMUTING = frozenset({"permutation", "permuted", "choice", "shuffle"})
_MOVE_TEXT = lazy(r"\s*\.\s*(to|cuda|type_as)\s*\(")


_GENERATES = lazy(r"^_?(generate|translate|transcribe)($|_)|(beam|greedy)_?(search|decode)")
_ONCE = lazy(r"(^|_)((input|example|sample|dummy)_(inputs?|examples?|batch)|exports?|onnx|tensorrt)(_|$)")
"""Names of functions that export a network, or make what it is traced with."""
_PROGRAM = frozenset({"self", "model", "args", "self.model", "trainer", "engine", "accelerator"})
"""Owners of a `device` that says where the program runs, not where a tensor is."""


def goes_to_device(site: Site) -> bool:
    """Whether a call of one of MOVING_METHODS moves to the device."""
    name = last_name(site.call.func)
    if name == "type_as":
        return len(site.call.args) == 1
    if name == "type":
        like = _like_type(site)
        return like is not None and site.value(like).on_device
    return name == "cuda" or site.file.kinds.device_argument(site.call, site.block) is Home.DEVICE


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
    statement, target = site.statement, argument(site.call, "device", 0)
    if last_name(site.call.func) not in MOVING_METHODS and isinstance(statement, ast.Assign):
        stored = statement.targets[0]
        return f"{site.text(stored.value if isinstance(stored, ast.Subscript) else stored)}.device"
    if target is None:
        return '"cuda"'
    like = _like_type(site)
    if like is not None:
        return f"{site.text(like)}.device"
    of_tensor = last_name(site.call.func) == "type_as" or site.value(target).is_tensor
    return f"{site.text(target)}.device" if of_tensor else site.text(target)


def in_sight(site: Site) -> bool:
    """Whether the code is seen to run in steps, or in a forward pass or loss that trains."""
    return site.heat.heat.in_step or not may_not_train.holds(site)


def made_anew(site: Site) -> Confidence | None:
    """How sure it is that `x.new_tensor(values)` copies values of the host to the device; None where it does not."""
    like = site.value(site.receiver)
    if not site.call.args or argument(site.call, "device") is not None or not in_sight(site):
        return None
    given = site.value(site.call.args[0])
    if not like.on_device or given.is_tensor:
        return None
    is_known = given.kind in (Kind.NUMBER, Kind.CONTAINER, Kind.ARRAY) or is_list(site.call.args[0])
    return Confidence.LIKELY if is_known else Confidence.POSSIBLE


def is_range(site: Site) -> bool:
    """Whether the first argument of a call counts: `range(n)`, also as a list."""
    return any(isinstance(part, ast.Call) and last_name(part.func) == "range" for part in nodes_in(site.call.args[0]))


def follows_a_tensor(site: Site) -> bool:
    """Whether the tensor goes where another one is, as in code that computes with it."""
    if last_name(site.call.func) == "type_as" or _like_type(site) is not None:
        return True
    given = argument(site.call, "device", 0)
    if isinstance(given, ast.Attribute) and given.attr == "device":
        owner = dotted(given.value)
        return owner is not None and owner not in _PROGRAM
    return given is not None and site.value(given).is_tensor


def stored_on_device(site: Site) -> bool:
    """Whether a statement such as `x[1:] = torch.tensor(...)` stores this call's result into a tensor on the device."""
    statement = site.statement
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Subscript):
        return False
    value: ast.expr = statement.value
    while value is not site.call:
        if isinstance(value, ast.Subscript):
            value = value.value
        elif (
            isinstance(value, ast.Call)
            and isinstance(value.func, ast.Attribute)
            and value.func.attr not in MOVING_METHODS
        ):
            value = value.func.value
        else:
            return False
    target = site.value(statement.targets[0].value)
    return target.on_device and target.confidence >= 0.9


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
    if not proved_name(site.file, made.call.func, site.block, {f"torch.{made.factory}"}):
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
    if isinstance(constant(target), str) or is_integer(site.file, target, site.block):
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


def draws_permutation(made: Creation, block: Block) -> bool:
    """Whether NumPy draws a permutation or a choice from some, and not numbers of a distribution."""
    if made.content is not Content.DRAWN:
        return False
    drawn = single_value(made.call.args[0], block) or made.call.args[0]
    return any(isinstance(part, ast.Call) and last_name(part.func) in _PERMUTING for part in nodes_in(drawn))


@guard
def for_export(site: Site) -> bool:
    """The function makes example inputs, or exports: it runs once."""
    return site.function is not None and _ONCE.search(site.function.name) is not None


@guard
def once_per_sequence(site: Site) -> bool:
    """It runs once per generated sequence, before the loop over tokens."""
    function = site.function
    if function is None or site.heat.heat is not Heat.UNKNOWN or not _GENERATES.search(function.name):
        return False
    inside = [loop for loop in site.file.outline.loop_blocks.values() if loop.within(function.body)]
    return bool(inside) and not any(site.block.within(loop) for loop in inside)


def doubts(site: Site, made: Creation, *, stored: bool) -> int:
    """How many doubts there are that a creation is worth a finding: by what is made, and by how often it runs."""
    of_content = 0 if stored else _DOUBTS.get(made.content, 0)
    if site.heat.heat.in_step or computes(site.file, site.block):
        return of_content
    return (
        of_content + 1
        if site.heat.heat is Heat.UNKNOWN and follows_a_tensor(site) and not sets_up(site.function)
        else 2
    )
