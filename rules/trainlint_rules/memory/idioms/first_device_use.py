"""Where the environment is told about the allocator, and whether the device was used before."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import outside_with
from trainlint.analysis.syntax.names import argument, constant, dotted, last_name, position
from trainlint.analysis.tables.waits.device_copies import MOVES
from trainlint_rules.memory.idioms.allocator_settings import VARIABLES

if TYPE_CHECKING:
    from trainlint.analysis.site import Site

_PUTTING = (*MOVES, "zeros", "ones", "empty", "full", "rand", "randn", "tensor")


def allocator_value(site: Site) -> ast.expr | None:
    """What the environment is given for the allocator; None for other calls and stores."""
    if isinstance(site.node, ast.Call):
        name = argument(site.node, "key", 0)
        return argument(site.node, "value", 1) if name is not None and constant(name) in VARIABLES else None
    match site.statement:
        case ast.Assign(targets=[ast.Subscript(value=owner), *_], value=value):
            return value if site.origin(owner) == "os.environ" else None
    return None


def first_use(site: Site) -> ast.Call | None:
    """The first call that surely runs before a place and puts something onto the device."""
    for use in site.calls(*_PUTTING):
        surely = site.block.within(outside_with(use.block)) and use.function is site.function
        if surely and position(use.call) < position(site.statement) and _uses_device(use):
            return use.call
    return None


def _uses_device(use: Site) -> bool:
    call = use.call
    if last_name(call.func) == "cuda":
        return isinstance(call.func, ast.Attribute) and dotted(call.func.value) != "torch"
    keyword = argument(call, "device", 0 if last_name(call.func) == "to" else None)
    word = constant(keyword) if keyword is not None else None
    return isinstance(word, str) and word.startswith("cuda")
