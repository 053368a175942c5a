"""What calls pass, as data.

Values are texts: a constant as Python writes it (`"True"`, `"'mean'"`), or one of the signs below.
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import NamedTuple

from trainlint.analysis.syntax.blocks import Function
from trainlint.analysis.syntax.names import constant, last_name

PASSED = "?"
"""A value that the text does not tell, which is most likely not None."""
ANYTHING = "*"
"""Nothing is known: not even whether the parameter is passed."""
_OF_CALLER = "="
"""Before the name of a parameter of the caller, which is passed on as it is."""
BY_DEFAULT = "@"
"""Before a constant that an option has unless somebody sets it."""
_LONGEST = 40
INFINITY = "1e999"
"""As a literal that Python reads."""
READ_KEYWORD = ("get", "pop")
"""Methods that read a keyword from `**kwargs`, with what it is if no call passes it."""


class PassedArguments(NamedTuple):
    """Which arguments a call passes."""

    positions: int = 0
    """How many arguments stand by position."""
    names: tuple[str, ...] = ()
    """The keywords."""
    unpacks: bool = False
    """Whether more is passed that only the run shows: `*args`, `**options`."""
    known: tuple[tuple[str, str], ...] = ()
    """What is known of values, by keyword or by the number of the position."""

    def value(self, name: str, parameters: tuple[str, ...], defaults: tuple[tuple[str, str], ...]) -> str:
        """What a call gives a parameter. `parameters` has no `self`; `defaults` are those that are constants."""
        if name in self.names:
            return dict(self.known).get(name, PASSED)
        if self.unpacks or self.positions > len(parameters):
            return ANYTHING
        if name in parameters and parameters.index(name) < self.positions:
            return dict(self.known).get(str(parameters.index(name)), PASSED)
        return dict(defaults).get(name, ANYTHING)


NO_ARGUMENTS = PassedArguments()


def passed_arguments(call: ast.Call, parameters: Collection[str] = ()) -> PassedArguments:
    """The arguments that the text of a call passes. `parameters` are those of the caller that nothing assigns."""
    if not call.args and not call.keywords:
        return NO_ARGUMENTS
    known = [(str(number), _argument_text(item, parameters)) for number, item in enumerate(call.args)]
    names: list[str] = []
    for keyword in call.keywords:
        if keyword.arg is not None:
            names.append(keyword.arg)
            known.append((keyword.arg, _argument_text(keyword.value, parameters)))
    unpacks = len(names) < len(call.keywords) or ast.Starred in map(type, call.args)
    return PassedArguments(len(call.args), tuple(names), unpacks, tuple([item for item in known if item[1]]))


def _argument_text(value: ast.expr, parameters: Collection[str]) -> str:
    if type(value) is ast.Name:
        return of_parameter(value.id) if value.id in parameters else ""
    return written_constant(value)


def of_parameter(name: str) -> str:
    """The text of a parameter's value."""
    return _OF_CALLER + name


def written_constant(value: ast.expr | None) -> str:
    """A short constant as Python writes it; "" for all else."""
    if type(value) is ast.Constant:
        found: object = value.value
    elif type(value) is ast.UnaryOp:
        found = constant(value)
    else:
        return INFINITY if value is not None and _is_infinity(value) else ""
    if found is None or found is True or found is False:
        return repr(found)
    if type(found) is str:
        return repr(found) if len(found) <= _LONGEST else ""
    return repr(found) if isinstance(found, (int, float)) and found == found else ""


def _is_infinity(value: ast.expr) -> bool:
    """`inf`, `math.inf`, `torch.inf` and `float("inf")`."""
    if type(value) is ast.Attribute:
        return value.attr == "inf"
    if type(value) is ast.Name:
        return value.id == "inf"
    if type(value) is not ast.Call or len(value.args) != 1 or last_name(value.func) != "float":
        return False
    text = constant(value.args[0])
    return isinstance(text, str) and text.lstrip("+").lower() in ("inf", "infinity")


def parameter_of_caller(value: str) -> str | None:
    """The parameter of the caller that is passed on; None for other values."""
    return value[len(_OF_CALLER) :] if value.startswith(_OF_CALLER) else None


def key_of_unpacked(call: ast.Call, function: Function) -> str | None:
    """The keyword that `kwargs.get("mask")` or `kwargs.pop("mask", None)` reads from a function's `**kwargs`."""
    rest = function.node.args.kwarg
    if rest is None or not isinstance(call.func, ast.Attribute) or call.func.attr not in READ_KEYWORD:
        return None
    holder = call.func.value
    if not isinstance(holder, ast.Name) or holder.id != rest.arg or not call.args:
        return None
    key = constant(call.args[0])
    return key if isinstance(key, str) else None
