"""Norms and activations that are written out: RMS norm, layer norm and GELU, found from their root, erf or tanh."""

from __future__ import annotations

import ast
import math
import re
from typing import NamedTuple

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.names import argument, constant, last_name, nodes_in
from trainlint.analysis.syntax.reaching import single_value
from trainlint.contract.guard import guard
from trainlint.patterns import lazy

_CUBIC = 0.044715
"""The factor of the cube in the approximation of GELU by tanh."""
_FUSING = lazy(r"fus(e|er|ed|ion)|compile|script", re.IGNORECASE)
_FIRST_RMS_NORM = (2, 4)
_FACTORS = ("weight", "scale", "gamma")
"""What norms multiply with, by its attribute."""
_NUMBER_MODULES = ("torch", "math", "np")


class Formula(NamedTuple):
    """A formula for which PyTorch has a function."""

    name: str
    function: str


_FORMULAS = {
    "rms_norm": Formula("an RMS norm", "F.rms_norm"),
    "layer_norm": Formula("a layer norm", "F.layer_norm"),
    "none": Formula("a GELU", "F.gelu(x)"),
    "tanh": Formula("a GELU", 'F.gelu(x, approximate="tanh")'),
}


@guard
def decorated_to_fuse(site: Site) -> bool:
    """A decorator of the function fuses it."""
    return site.function is not None and any(_FUSING.search(last_name(item)) for item in site.function.decorators)


@guard
def needs_newer_torch(site: Site) -> bool:
    """The formula is an RMS norm, and the project supports PyTorch before 2.4."""
    return site.lacks(_FIRST_RMS_NORM) and written_norm(site.place) == "rms_norm"


@guard
def weights_from_one(site: Site) -> bool:
    """Weights are stored as their distance from one (`1 + self.weight`)."""
    return any(
        constant(one) == 1 and isinstance(other, ast.Attribute) and other.attr in _FACTORS
        for node in nodes_in(site.file.tree)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)
        for one, other in ((node.left, node.right), (node.right, node.left))
    )


def written_formula(site: Site) -> Formula | None:
    """The norm or GELU that is written out around a root, erf or tanh of PyTorch, in a function."""
    origin = site.origin(site.call.func)
    if site.function is None or (origin is not None and not origin.startswith("torch.")):
        return None
    rooted = last_name(site.call.func) in ("rsqrt", "sqrt")
    found = written_norm(site.place) if rooted else written_gelu(site.place)
    return _FORMULAS[found] if found is not None else None


def written_norm(root: Place) -> str | None:
    """The function of torch that `x * rsqrt(mean(x ** 2) + eps)` or `x / sqrt(variance + eps)` writes out.

    "rms_norm" or "layer_norm", each over the last dimension with the epsilon inside the root, as those have it.
    """
    call = root.node
    if not isinstance(call, ast.Call):
        return None
    given = _input_of(call)
    if not isinstance(given, ast.BinOp) or not isinstance(given.op, ast.Add):
        return None
    variance = _resolved(given.left, root)
    if not isinstance(variance, ast.Call) or not _over_last_dimension(variance):
        return None
    norm, scaled = _norm_of(variance, root)
    return norm if norm is not None and _scales(root, call, scaled) else None


def _norm_of(variance: ast.Call, root: Place) -> tuple[str | None, ast.expr | None]:
    """The norm that a variance or a mean of squares belongs to, and what it scales where only that value will do."""
    name = last_name(variance.func)
    if name == "var":
        biased = constant(argument(variance, "unbiased")) is False or constant(argument(variance, "correction")) == 0
        return ("layer_norm" if biased else None), None
    squared = _squared(_input_of(variance), root) if name == "mean" else None
    if squared is None:
        return None, None
    centred = _resolved(squared, root)
    if isinstance(centred, ast.BinOp) and isinstance(centred.op, ast.Sub):
        return "layer_norm", None
    return "rms_norm", squared


def written_gelu(curve: Place) -> str | None:
    """How GELU is written out around a call of erf or tanh: "none" or "tanh", as `gelu(approximate=...)` has it."""
    call = curve.node
    given = _input_of(call) if isinstance(call, ast.Call) else None
    if not isinstance(call, ast.Call) or given is None:
        return None
    approximation = _approximation(last_name(call.func), given)
    if approximation is None:
        return None
    inside = (node.id for node in nodes_in(given) if isinstance(node, ast.Name) and node.id not in _NUMBER_MODULES)
    value = next(inside, None)
    return approximation if value is not None and _is_halved(curve, call, value) else None


def _approximation(curve: str, given: ast.expr) -> str | None:
    """Which GELU has this curve of this: erf of x over the root of two, or tanh with the cubic factor."""
    if curve == "tanh":
        return "tanh" if _has_constant(given, _CUBIC) else None
    match given:
        case ast.BinOp(left=ast.Name(), op=ast.Div(), right=root) if curve == "erf":
            return "none" if _is_root_of_two(root, math.sqrt(2)) else None
        case ast.BinOp(left=ast.Name(), op=ast.Mult(), right=root) if curve == "erf":
            return "none" if _is_root_of_two(root, math.sqrt(0.5)) else None
    return None


def _input_of(call: ast.Call) -> ast.expr | None:
    """What a function of torch, or a method of a tensor, is computed of."""
    if isinstance(call.func, ast.Attribute) and not _is_module(call.func.value):
        return call.func.value
    return call.args[0] if call.args else None


def _is_module(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("torch", "math", "np", "F")


def _resolved(node: ast.expr, place: Place) -> ast.expr:
    return single_value(node, place.block) or node


def _over_last_dimension(call: ast.Call) -> bool:
    method = isinstance(call.func, ast.Attribute) and not _is_module(call.func.value)
    dimension = argument(call, "dim", 0 if method else 1)
    if isinstance(dimension, ast.Tuple | ast.List) and len(dimension.elts) == 1:
        dimension = dimension.elts[0]
    keepdim = argument(call, "keepdim", 1 if method else 2)
    return constant(dimension) == -1 and constant(keepdim) is True


def _squared(node: ast.expr | None, place: Place) -> ast.expr | None:
    match node:
        case ast.BinOp(op=ast.Pow(), left=left, right=right) if constant(right) == 2:
            return left
        case ast.BinOp(op=ast.Mult(), left=left, right=right) if ast.dump(left) == ast.dump(right):
            return left
        case ast.Call() if last_name(node.func) in ("pow", "square"):
            power = node.args[-1] if last_name(node.func) == "pow" and node.args else None
            return _input_of(node) if power is None or constant(power) == 2 else None
        case ast.Name():
            value = single_value(node, place.block)
            return _squared(value, place) if value is not None and not isinstance(value, ast.Name) else None
    return None


def _scales(root: Place, call: ast.Call, value: ast.expr | None) -> bool:
    """Whether a value is multiplied with, or divided by, the root in the statement or in one that uses its name."""
    wanted = last_name(_behind_casts(value)) if value is not None else None
    scope = root.block.scope.node
    names = [target.id for target in _targets(root.statement) if isinstance(target, ast.Name)]
    for node in nodes_in(scope):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
            for one, other in ((node.left, node.right), (node.right, node.left)):
                is_root = other is call or (isinstance(other, ast.Name) and other.id in names)
                if is_root and (wanted is None or last_name(_behind_casts(one)) == wanted):
                    return True
    return False


def _behind_casts(node: ast.expr) -> ast.expr:
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("float", "to"):
        node = node.func.value
    return node


def _targets(statement: ast.stmt) -> list[ast.expr]:
    return statement.targets if isinstance(statement, ast.Assign) else []


def _has_constant(node: ast.expr, number: float) -> bool:
    return any(constant(part) == number for part in nodes_in(node))


def _is_root_of_two(node: ast.expr, wanted: float) -> bool:
    """Whether an expression is the square root of two, or of a half, to seven digits."""
    number = constant(node)
    if isinstance(number, float):
        return abs(number - wanted) < 1e-6
    if isinstance(node, ast.Call) and last_name(node.func) == "sqrt" and node.args:
        inner = constant(node.args[0])
        return isinstance(inner, int | float) and abs(math.sqrt(inner) - wanted) < 1e-6
    return False


def _is_halved(curve: Place, call: ast.Call, name: str) -> bool:
    """Whether the curve, with one added, is multiplied by a half and by the value itself."""
    for node in nodes_in(curve.statement):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and any(p is call for p in nodes_in(node)):
            factors = _factors(node)
            halved = any(constant(item) == 0.5 for item in factors)
            itself = any(isinstance(item, ast.Name) and item.id == name for item in factors)
            added = any(_adds_one(item, call) for item in factors)
            if halved and itself and added:
                return True
    return False


def _factors(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return [*_factors(node.left), *_factors(node.right)]
    return [node]


def _adds_one(node: ast.expr, call: ast.Call) -> bool:
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
        return False
    return (constant(node.left) == 1 and node.right is call) or (constant(node.right) == 1 and node.left is call)
