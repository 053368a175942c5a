"""Calls that give a number before the tensors, as PyTorch before 1.5 took it: `x.add_(0.1, y)`.

The current signatures take one positional argument less, so the count of arguments is proof. Sources: the documentation
of torch 1.4 and 1.5, and the signatures that torch 2.13 warns of.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name, nodes_in
from trainlint.analysis.tables.host_reads import ITEM

_TENSORS = {"add": 1, "sub": 1, "addcmul": 2, "addcdiv": 2}
"""How many tensors each function takes besides the first one, all of them by position."""
_ONLY_COMPUTE = frozenset(
    (ITEM.name, *"float int abs min max pow sqrt exp log len add_ add mul div sign clone".split())
)
_BINDING = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
_KEYWORDS = {1: "alpha", 2: "value"}
FUNCTIONS = tuple(f"torch.{name}" for name in _TENSORS)
METHODS = tuple(name + place for name in _TENSORS for place in ("", "_"))


@dataclass(frozen=True, slots=True)
class LeadingNumber:
    """A number that stands before the tensors of a call."""

    name: str
    keyword: str
    number: ast.expr
    index: int
    """Its place among the arguments."""
    order_matters: bool
    """Whether the number is made by a call that may change what a tensor behind it is, or one of them binds a name."""


def leading_number(site: Site) -> LeadingNumber | None:
    """The number that a call of a method in `METHODS` or a function in `FUNCTIONS` gives too early; else None."""
    call = site.call
    if not isinstance(call.func, ast.Attribute):
        return None
    name = call.func.attr
    tensors = _TENSORS[name.rstrip("_")]
    is_function = site.origin(call.func) in FUNCTIONS
    index = 1 if is_function else 0
    if call.keywords or len(call.args) != index + 1 + tensors:
        return None
    number = call.args[index]
    if site.value(number).is_tensor:
        return None
    # Writers and meters have an `add` of two arguments, too; but for the file's own classes, only tensors have names
    # that end in an underscore.
    is_tensors_own = name.endswith("_") and not any(name in cls.methods for cls in site.file.outline.classes.values())
    if not (is_function or is_tensors_own or site.value(call.func.value).is_tensor):
        return None
    others = call.args[index + 1 :]
    order_matters = (not _is_literal(number) and any(map(_acts, others))) or any(map(_binds, call.args))
    order_matters = order_matters or (_acts(number) and not all(map(_is_plain, others)))
    return LeadingNumber(name, _KEYWORDS[tensors], number, index, order_matters)


def _acts(node: ast.expr) -> bool:
    """Whether an expression calls what may do more than compute a number."""
    return any(isinstance(part, ast.Call) and last_name(part.func) not in _ONLY_COMPUTE for part in nodes_in(node))


def _is_literal(node: ast.expr) -> bool:
    """Whether an expression is made of literals alone, so that nothing can change it."""
    return not any(isinstance(part, ast.Name | ast.Call) for part in nodes_in(node))


def _is_plain(node: ast.expr) -> bool:
    return isinstance(node, ast.Name | ast.Constant)


def _binds(node: ast.expr) -> bool:
    """Whether an expression binds a name, or lets other code run before it goes on."""
    return any(isinstance(part, _BINDING) for part in nodes_in(node))
