"""What one call says of a project: a method by its name, a framework's setting by keyword, a cast of weights."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from trainlint.analysis.programs.fact_names import (
    ACCELERATOR,
    METHODS,
    NO_SETTINGS,
    SETTINGS,
    STRATEGIES,
    NameFact,
)
from trainlint.analysis.syntax.blocks import Block, How
from trainlint.analysis.syntax.names import NAMES, argument, constant, last_name, names_in, position
from trainlint.analysis.syntax.outline import Outline
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.tables.fact_kinds import FactKind, Use
from trainlint.analysis.tables.module_methods import RETURN_SELF
from trainlint.analysis.types.vocabulary import DTYPE_NAME, names_module

_HALVES = frozenset({"float16", "half", "bfloat16"})
_SAYING = frozenset((*METHODS, *_HALVES, "accumulate", "compile", "to"))
_GLOBALS = frozenset(("set_float32_matmul_precision", "set_default_dtype"))
_SETTING = frozenset((*SETTINGS, "strategy", "optim"))
_WEIGHTS = frozenset(("weight", "bias", "param", "p", "parameter"))
_MAKERS = ("from_pretrained", "create_model", "build_model", "get_model")
_KERAS = frozenset(("optimizer", "loss", "metrics"))
_DEEP = 6


@lru_cache(NAMES)
def says_by_name(name: str) -> bool:
    """Whether a call of something with this last word may say anything, whatever it is given."""
    return name in _SAYING or name in _GLOBALS or name == "from_pretrained"


def says_by_keyword(call: ast.Call) -> bool:
    """Whether a call is given anything that may be a setting of a framework."""
    return not _SETTING.isdisjoint([keyword.arg for keyword in call.keywords])


def of_call(outline: Outline, call: ast.Call, block: Block) -> Iterator[Use]:
    """All that a call says, other than by the origin of what is called."""
    name, func = last_name(call.func), call.func
    if isinstance(func, ast.Attribute) and name in _SAYING and outline.imported(func, block) is None:
        yield from _of_method(outline, call, func, block)
    elif name in _GLOBALS and call.args:
        yield from _of_global(outline, call, name, block)
    if name == "from_pretrained":
        given = argument(call, "torch_dtype") or argument(call, "dtype")
        if given is not None and _is_half(outline, given, block):
            yield Use(FactKind.HALF_WEIGHTS)
    for keyword in call.keywords:
        if keyword.arg in _SETTING:
            yield from _of_keyword(name, keyword.arg, keyword.value)


def switched_off(call: ast.Call) -> bool:
    """Whether a literal False says that what is called shall do nothing."""
    given = [keyword.value for keyword in call.keywords if keyword.arg in ("enabled", "enable", "mode")]
    return any(constant(item) is False for item in (*call.args[:1], *given))


def _of_method(outline: Outline, call: ast.Call, func: ast.Attribute, block: Block) -> Iterator[Use]:
    name = func.attr
    if name in METHODS:
        yield from _of_named_method(METHODS[name], call, name)
    elif name == "accumulate":
        if ACCELERATOR.search(last_name(func.value)):
            yield Use(FactKind.NO_SYNC)
    elif name == "compile":
        if _KERAS.isdisjoint(keyword.arg or "" for keyword in call.keywords) and _is_module(outline, func.value, block):
            yield Use(FactKind.COMPILE)
    elif _casts_to_half(outline, call, name, block) and _holds_weights(outline, func.value, block):
        yield Use(FactKind.HALF_WEIGHTS)


def _casts_to_half(outline: Outline, call: ast.Call, name: str, block: Block) -> bool:
    """`model.half()` and `model.to(torch.bfloat16)`."""
    if name == "to":
        return any(_is_half(outline, item, block) for item in _arguments(call))
    return not call.args


def _of_named_method(named: NameFact, call: ast.Call, name: str) -> Iterator[Use]:
    if name == "set_epoch" and not (call.args or call.keywords):
        return
    # `set_requires_gradient_sync(False)` is how gradients are kept from being reduced.
    if not switched_off(call) or FactKind.NO_SYNC in named.kinds:
        yield from (Use(kind, named.detail) for kind in named.kinds)


def _of_global(outline: Outline, call: ast.Call, name: str, block: Block) -> Iterator[Use]:
    if outline.imported(call.func, block) != f"torch.{name}":
        return
    if name == "set_float32_matmul_precision":
        yield Use(FactKind.TF32)
    elif _is_half(outline, call.args[0], block):
        yield Use(FactKind.HALF_WEIGHTS)


def _of_keyword(callee: str, keyword: str, value: ast.expr) -> Iterator[Use]:
    setting = SETTINGS.get(keyword)
    if setting is not None and setting.callee.search(callee) and not _leaves_off(setting.kind, value):
        yield Use(setting.kind)
    if keyword == "strategy" and callee in ("Trainer", "Fabric"):
        yield from _of_strategy(constant(value))


def _of_strategy(written: object) -> Iterator[Use]:
    for start, kinds, detail in STRATEGIES:
        if isinstance(written, str) and written.startswith(start):
            yield from (Use(kind, detail) for kind in kinds)
            return


def _leaves_off(kind: FactKind, value: ast.expr) -> bool:
    if kind is FactKind.CHANNELS_LAST:
        return not any(name.startswith("channels_last") for name in names_in(value))
    written = constant(value)
    if isinstance(written, str):
        return written.lower() in NO_SETTINGS
    if written is None or written is False:
        return True
    return kind is FactKind.AUTOCAST and written in (32, 64)


def _arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "dtype")]


def _is_half(outline: Outline, dtype: ast.expr, block: Block) -> bool:
    """Whether a data type has 16 bits, or a variable holds it."""
    origin = outline.imported(dtype, block)
    name = str(constant(dtype)) if isinstance(dtype, ast.Constant) else last_name(dtype)
    if name in _HALVES and (origin or "torch.").startswith("torch."):
        return True
    return isinstance(dtype, (ast.Name, ast.Attribute)) and origin is None and bool(DTYPE_NAME.search(name))


def _holds_weights(outline: Outline, node: ast.expr, block: Block) -> bool:
    """Whether an expression is a network, or the data of a parameter, which in `forward` is only read."""
    if isinstance(node, ast.Attribute) and node.attr == "data":
        return last_name(node.value) in _WEIGHTS
    return _is_module(outline, node, block)


def _is_module(outline: Outline, node: ast.expr, block: Block, depth: int = 0) -> bool:
    """Whether an expression is a network: by its name, or by what made it."""
    if depth > _DEEP:
        return False
    if isinstance(node, ast.Call):
        return _makes_module(outline, node.func, block, depth)
    if not isinstance(node, (ast.Name, ast.Attribute)):
        return False
    found = reaching(node.id, block, position(node)) if isinstance(node, ast.Name) else []
    if len(found) == 1 and found[0].how is How.ASSIGN and found[0].value is not None and not found[0].path:
        if _is_module(outline, found[0].value, found[0].block, depth + 1):
            return True
    return names_module(last_name(node))


def _makes_module(outline: Outline, func: ast.expr, block: Block, depth: int) -> bool:
    """Whether what is called is a class, a function that makes networks, or a method that hands its network back."""
    if isinstance(func, ast.Attribute) and func.attr in RETURN_SELF:
        return _is_module(outline, func.value, block, depth + 1)
    name = last_name(func)
    return not isinstance(func, ast.Call) and (name.endswith(_MAKERS) or name[:1].isupper())
