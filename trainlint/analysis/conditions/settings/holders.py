"""What holds the options of a program, by its name: `args`, `self.config`, `cfg.model`, `FLAGS`."""

from __future__ import annotations

import ast
import re
from functools import lru_cache

from trainlint.analysis.syntax.names import NAMES, constant, last_name
from trainlint.patterns import lazy

_HOLDERS = frozenset(
    {"args", "config", "cfg", "opt", "opts", "options", "hparams", "conf", "params", "settings", "flags", "hps"}
)
_CLASSES = lazy(r"(config|cfg|args|arguments|options|settings|hparams|params)$", re.IGNORECASE)
_READING = frozenset({ast.Attribute, ast.Call, ast.Subscript})
"""Types of expressions that may read an option: half of those that are looked at are none."""
_EXPECTED = lazy(
    r"cuda|gpu|device|accelerator|amp($|_)|fp16|bf16|half|mixed|precision|distributed|ddp|fsdp|parallel|world|rank|"
    r"accum|^(do_|is_)?train(ing)?$|batch|clip|resume",
    re.IGNORECASE,
)
"""Options that a run which is worth tuning sets: for its hardware, its size, and what many recipes have."""


def option_name(node: ast.expr) -> str | None:
    """The option that an expression reads: `args.flip`, `cfg["flip"]`, `getattr(args, "flip")`."""
    name: object = None
    if type(node) not in _READING:
        return None
    match node:
        case ast.Attribute() if is_holder(node.value):
            name = node.attr
        case ast.Call(func=ast.Name(id="getattr"), args=[source, key, *_]) if is_holder(source):
            name = constant(key)
        case ast.Call(func=ast.Attribute(attr="get", value=source), args=[key, *_]) if is_holder(source):
            name = constant(key)
        case ast.Subscript(value=source, slice=key) if is_holder(source):
            name = constant(key)
    return name if isinstance(name, str) else None


def is_holder(node: ast.expr) -> bool:
    """Whether an expression holds options, or a group of them."""
    while True:
        if _names_holder(last_name(node)):
            return True
        if type(node) is not ast.Attribute:
            return False
        node = node.value


@lru_cache(NAMES)
def _names_holder(name: str) -> bool:
    name = name.lower().lstrip("_")
    return name in _HOLDERS or name.rpartition("_")[2] in _HOLDERS


@lru_cache(NAMES)
def is_expected(name: str) -> bool:
    """Whether a run that is worth tuning sets an option."""
    return bool(_EXPECTED.search(name))


@lru_cache(NAMES)
def holds_settings(name: str) -> bool:
    """Whether a class is one of settings, by its name: `TrainConfig`, `ModelArguments`."""
    return bool(_CLASSES.search(name))
