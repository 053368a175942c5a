"""What one call says of a project: a method by its name, a framework's setting by keyword, a cast of weights."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from trainlint.analysis.programs.fact_names import (
    ACCELERATOR,
    ACCELERATOR_METHODS,
    METHODS,
    NO_SETTINGS,
    SETTINGS,
    STRATEGIES,
)
from trainlint.analysis.syntax.blocks import Block, How
from trainlint.analysis.syntax.names import NAMES, argument, constant, dotted, last_name, names_in, position
from trainlint.analysis.syntax.outline import Outline
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.tables.fact_kinds import OFF, FactKind
from trainlint.analysis.tables.loaders import moves_batches
from trainlint.analysis.types.vocabulary import DTYPE_NAME, MODULE_METHODS_RETURNING_SELF, MODULE_NAME

FoundKind = tuple[FactKind, str]
"""A kind and its detail."""

_HALVES = {"float16": "float16", "half": "float16", "bfloat16": "bfloat16"}
_SAYING = frozenset((*METHODS, *ACCELERATOR_METHODS, *_HALVES, "compile", "to"))
_GLOBALS = frozenset(("set_float32_matmul_precision", "set_default_dtype"))
_SETTING = frozenset((*SETTINGS, "strategy", "optim"))
_WEIGHTS = frozenset(("weight", "bias", "param", "p", "parameter"))
_MAKERS = ("from_pretrained", "create_model", "build_model", "get_model")
_KERAS = frozenset(("optimizer", "loss", "metrics"))
_DEEP = 6


@lru_cache(NAMES)
def says_by_name(name: str) -> bool:
    """Whether a call of something with this last word may say anything, whatever it is given."""
    return name in _SAYING or name in _GLOBALS or name == "from_pretrained" or moves_batches(name)


def says_by_keyword(call: ast.Call) -> bool:
    """Whether a call is given anything that may be a setting of a framework."""
    return not _SETTING.isdisjoint([keyword.arg for keyword in call.keywords])


def of_call(outline: Outline, call: ast.Call, block: Block) -> Iterator[FoundKind]:
    """All that a call says, other than by the origin of what is called."""
    name, func = last_name(call.func), call.func
    if isinstance(func, ast.Attribute) and name in _SAYING and outline.imported(func, block) is None:
        yield from _of_method(outline, call, func, block)
    elif name in _GLOBALS and call.args:
        yield from _of_global(outline, call, name, block)
    if name == "from_pretrained":
        given = argument(call, "torch_dtype") or argument(call, "dtype")
        yield from _cast(outline, given, block)
    if moves_batches(name):
        yield FactKind.PREFETCHER, ""
    for keyword in call.keywords:
        if keyword.arg in _SETTING:
            yield from _of_keyword(name, keyword.arg, keyword.value)


def switched_off(call: ast.Call) -> bool:
    """Whether a literal False says that what is called shall do nothing."""
    given = [keyword.value for keyword in call.keywords if keyword.arg in ("enabled", "enable", "mode")]
    return any(constant(item) is False for item in (*call.args[:1], *given))


def count(node: ast.expr) -> str:
    """A number as the code names it: "4", "args.accum_iter"; "" for anything longer."""
    return str(node.value) if isinstance(node, ast.Constant) else dotted(node) or ""


def _of_method(outline: Outline, call: ast.Call, func: ast.Attribute, block: Block) -> Iterator[FoundKind]:
    name = func.attr
    named = METHODS.get(name)
    if named is not None and (call.args or call.keywords or name != "set_epoch"):
        # `set_requires_gradient_sync(False)` is how gradients are kept from being reduced.
        if not switched_off(call) or FactKind.NO_SYNC in named.kinds:
            yield from ((kind, named.detail) for kind in named.kinds)
    elif name in ACCELERATOR_METHODS and ACCELERATOR.search(last_name(func.value)):
        yield from ((kind, "") for kind in ACCELERATOR_METHODS[name])
    elif name == "compile" and _KERAS.isdisjoint(keyword.arg or "" for keyword in call.keywords):
        if _is_module(outline, func.value, block):
            yield FactKind.COMPILE, last_name(func.value)
    elif name in _HALVES and not call.args and _holds_weights(outline, func.value, block):
        yield FactKind.HALF_WEIGHTS, _HALVES[name]
    elif name == "to":
        found = [each for item in _arguments(call) for each in _cast(outline, item, block)]
        if found and _holds_weights(outline, func.value, block):
            yield found[0]


def _of_global(outline: Outline, call: ast.Call, name: str, block: Block) -> Iterator[FoundKind]:
    if outline.imported(call.func, block) != f"torch.{name}":
        return
    if name == "set_default_dtype":
        yield from _cast(outline, call.args[0], block)
    else:
        yield FactKind.TF32, OFF if constant(call.args[0]) == "highest" else ""


def _of_keyword(callee: str, keyword: str, value: ast.expr) -> Iterator[FoundKind]:
    setting = SETTINGS.get(keyword)
    if setting is not None and setting.callee.search(callee) and not _leaves_off(setting.kind, value):
        written = constant(value)
        if setting.kind is FactKind.GRAD_ACCUMULATION:
            yield setting.kind, count(value)
        elif setting.kind is FactKind.AUTOCAST:
            yield setting.kind, keyword if keyword in ("fp16", "bf16") or written is ... else str(written)
        else:
            yield setting.kind, ""
    if keyword == "strategy" and callee in ("Trainer", "Fabric"):
        written = constant(value)
        for start, kinds, detail in STRATEGIES:
            if isinstance(written, str) and written.startswith(start):
                yield from ((kind, detail) for kind in kinds)
                return
    elif keyword == "optim" and "fused" in str(constant(value)):
        yield FactKind.FUSED_OPTIMIZER, ""


def _leaves_off(kind: FactKind, value: ast.expr) -> bool:
    if kind is FactKind.CHANNELS_LAST:
        return not any(name.startswith("channels_last") for name in names_in(value))
    written = constant(value)
    if isinstance(written, str):
        return written.lower() in NO_SETTINGS
    if written is None or written is False:
        return True
    if kind is FactKind.AUTOCAST:
        return written in (32, 64)
    return kind is FactKind.GRAD_ACCUMULATION and written == 1


def _arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "dtype")]


def _cast(outline: Outline, dtype: ast.expr | None, block: Block) -> Iterator[FoundKind]:
    """A cast of weights to 16 bits, or to what a variable says; none for a data type that is surely another one."""
    if dtype is None:
        return
    origin = outline.imported(dtype, block)
    name = str(constant(dtype)) if isinstance(dtype, ast.Constant) else last_name(dtype)
    if name in _HALVES and (origin or "torch.").startswith("torch."):
        yield FactKind.HALF_WEIGHTS, _HALVES[name]
    elif isinstance(dtype, (ast.Name, ast.Attribute)) and origin is None and DTYPE_NAME.search(name):
        yield FactKind.HALF_WEIGHTS, ""


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
        func = node.func
        if isinstance(func, ast.Attribute) and func.attr in MODULE_METHODS_RETURNING_SELF:
            return _is_module(outline, func.value, block, depth + 1)
        name = last_name(func)
        return not isinstance(func, ast.Call) and (name.endswith(_MAKERS) or name[:1].isupper())
    if not isinstance(node, (ast.Name, ast.Attribute)):
        return False
    if isinstance(node, ast.Name):
        found = reaching(node.id, block, position(node))
        values = [item.value for item in found if item.how is How.ASSIGN and item.value is not None and not item.path]
        if len(found) == 1 and len(values) == 1 and _is_module(outline, values[0], found[0].block, depth + 1):
            return True
    return bool(MODULE_NAME.search(last_name(node)))
