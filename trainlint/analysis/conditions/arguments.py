"""What options are given, as data.

Values are texts: a constant as Python writes it (`"True"`, `"'mean'"`), or one of the signs below.
"""

from __future__ import annotations

import ast

from trainlint.analysis.syntax.names import constant, last_name

PASSED = "?"
"""A value that the text does not tell, which is most likely not None."""
_LONGEST = 40
INFINITY = "1e999"
"""As a literal that Python reads."""


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
