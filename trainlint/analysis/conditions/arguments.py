"""What calls pass, as data.

Values are texts: a constant as Python writes it (`"True"`, `"'mean'"`), or one of the signs below.
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import NamedTuple

from trainlint.analysis.syntax.names import constant, last_name

PASSED = "?"
"""A value that the text does not tell, which is most likely not None."""
_LONGEST = 40
INFINITY = "1e999"
"""As a literal that Python reads."""


class PassedArguments(NamedTuple):
    """How many arguments a call passes, and which of them are parameters of the caller."""

    positions: int = 0
    """How many arguments stand by position."""
    unpacks: bool = False
    """Whether more is passed that only the run shows: `*args`, `**options`."""
    known: tuple[tuple[str, str], ...] = ()
    """By keyword, or by the number of the position: the parameter of the caller that is passed."""

    def handed_on(self, name: str, parameters: tuple[str, ...]) -> str | None:
        """The parameter of the caller that a call gives a parameter; None for all else. `parameters` has no `self`."""
        if self.unpacks or self.positions > len(parameters):
            return dict(self.known).get(name)
        place = str(parameters.index(name)) if name in parameters else ""
        return dict(self.known).get(name) or dict(self.known).get(place)


NO_ARGUMENTS = PassedArguments()


def passed_arguments(call: ast.Call, parameters: Collection[str] = ()) -> PassedArguments:
    """The arguments that the text of a call passes. `parameters` are those of the caller that nothing assigns."""
    if not call.args and not call.keywords:
        return NO_ARGUMENTS
    known = [(str(number), _parameter(item, parameters)) for number, item in enumerate(call.args)]
    known += [(keyword.arg, _parameter(keyword.value, parameters)) for keyword in call.keywords if keyword.arg]
    unpacks = any(keyword.arg is None for keyword in call.keywords) or ast.Starred in map(type, call.args)
    return PassedArguments(len(call.args), unpacks, tuple([item for item in known if item[1]]))


def _parameter(value: ast.expr, parameters: Collection[str]) -> str:
    return value.id if type(value) is ast.Name and value.id in parameters else ""


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
