"""Formulas that lose digits or overflow, for which PyTorch has a function: log1p, expm1, softplus, logsumexp."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant, has_unpacked_arguments, last_name, nodes_in
from trainlint.analysis.syntax.reaching import single_value
from trainlint.analysis.syntax.uses import own_nodes
from trainlint.contract.guard import guard
from trainlint.patterns import lazy

if TYPE_CHECKING:
    import libcst as cst

_WHOLE = frozenset("floor ceil round trunc floor_divide long int".split())
"""Functions and methods whose results are whole numbers."""
_KEEPS_WHOLE = frozenset("float half double to abs clone detach view reshape unsqueeze squeeze".split())
"""Methods of whole numbers that leave them whole."""
_COUNTS = lazy(r"(^|_)(dur|durs|durations?|counts?|lengths?|lens?|indices|idx|positions?|ranks?)($|_)")
"""Names of what is counted."""
_DEEPEST = 4
_Options = tuple[tuple[str, ast.expr], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Formula:
    """A formula, and the function that computes it."""

    at: ast.expr
    fact: str
    shown: str
    """The call of the function, as a message shows it."""
    function: str
    given: ast.expr
    """What the function is to be given."""
    options: _Options = ()
    known: bool = True
    """Whether all arguments of the function are known."""

    def written(self, site: Site, function: str) -> cst.Call:
        """The call of the function by the name that the file has for it."""
        import libcst as cst

        from trainlint.fixing.rewrite import expression

        equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
        named = [cst.Arg(expression(site.source, item), cst.Name(key), equal=equal) for key, item in self.options]
        return cst.Call(cst.parse_expression(function), [cst.Arg(expression(site.source, self.given)), *named])


def formula(site: Site) -> Formula | None:
    """The formula that a call of `torch.log` or `torch.exp` stands in."""
    call = site.call
    if len(call.args) != 1 or call.keywords or has_unpacked_arguments(call):
        return None
    if site.origin(call.func) == "torch.log":
        return _logarithm(site, call, call.args[0])
    less = _less_one(site)
    if less is None:
        return None
    fact = "`torch.exp(x) - 1` loses the digits of a small x"
    return Formula(less, fact, "torch.expm1(x)", "torch.expm1", call.args[0])


@guard
def of_whole_numbers(site: Site) -> bool:
    """One is added to whole numbers (by their names), so that no digit is lost."""
    rest = _more_than_one(site.call.args[0]) if isinstance(site.node, ast.Call) and site.call.args else None
    return rest is not None and _is_whole(site, rest)


@guard
def rounded(site: Site) -> bool:
    """The result is rounded to whole numbers."""
    return any(
        isinstance(node, ast.Call) and last_name(node.func) in _WHOLE and site.node in nodes_in(node)
        for node in own_nodes(site.statement)
    )


@guard
def shifted_by_largest(site: Site) -> bool:
    """The largest exponent is subtracted first, so that nothing overflows."""
    summed = _summed_exponent(site, site.call.args[0]) if isinstance(site.node, ast.Call) else None
    return summed is not None and isinstance(summed[0], ast.BinOp) and isinstance(summed[0].op, ast.Sub)


def _logarithm(site: Site, call: ast.Call, of: ast.expr) -> Formula | None:
    rest = _more_than_one(of)
    inner = _exponent(site, rest)
    if inner is not None:
        fact = "`torch.log(1 + torch.exp(x))` is infinite for a large x"
        return Formula(call, fact, "F.softplus(x)", "torch.nn.functional.softplus", inner)
    if rest is not None:
        fact = "`torch.log(1 + x)` loses the digits of a small x"
        return Formula(call, fact, "torch.log1p(x)", "torch.log1p", rest)
    summed = _summed_exponent(site, of)
    if summed is None:
        return None
    fact = "a log of summed exponentials overflows"
    return Formula(call, fact, "torch.logsumexp(x, dim)", "torch.logsumexp", *summed, known=bool(summed[1]))


def _is_one(node: ast.AST) -> bool:
    value = constant(node)
    return type(value) in (int, float) and value == 1


def _more_than_one(node: ast.expr) -> ast.expr | None:
    """The x of `1 + x` and `x + 1`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        if _is_one(node.left):
            return node.right
        if _is_one(node.right):
            return node.left
    return None


def _is_whole(site: Site, node: ast.expr, depth: int = 0) -> bool:
    """Whether an expression gives whole numbers by its last operation, by its name, or by what a cast is given."""
    if isinstance(node, ast.Name | ast.Attribute) and _COUNTS.search(last_name(node)):
        return True
    node = single_value(node, site.block) or node
    if isinstance(node, ast.Call):
        name = last_name(node.func)
        kept = node.func.value if isinstance(node.func, ast.Attribute) and name in _KEEPS_WHOLE else None
        return name in _WHOLE or (kept is not None and depth < _DEEPEST and _is_whole(site, kept, depth + 1))
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv)


def _less_one(site: Site) -> ast.BinOp | None:
    """The `... - 1` of which the site's call is the left side."""
    for node in own_nodes(site.statement):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and node.left is site.node:
            return node if _is_one(node.right) else None
    return None


def _exponent(site: Site, node: ast.expr | None) -> ast.expr | None:
    """The x of `torch.exp(x)`."""
    if isinstance(node, ast.Call) and site.origin(node.func) == "torch.exp" and len(node.args) == 1:
        return node.args[0] if not node.keywords and not has_unpacked_arguments(node) else None
    return None


def _summed_exponent(site: Site, node: ast.expr) -> tuple[ast.expr, _Options] | None:
    """The x of a sum over `torch.exp(x)`, and over which dimensions it goes; none where it goes over all."""
    if not isinstance(node, ast.Call) or has_unpacked_arguments(node) or argument(node, "dtype") is not None:
        return None
    if site.origin(node.func) == "torch.sum" and node.args:
        exponent, first = _exponent(site, node.args[0]), 1
    elif isinstance(node.func, ast.Attribute) and node.func.attr == "sum":
        exponent, first = _exponent(site, node.func.value), 0
    else:
        return None
    options = [(name, argument(node, name, first + index)) for index, name in enumerate(("dim", "keepdim"))]
    given = tuple((name, value) for name, value in options if value is not None)
    if exponent is None or len(given) != len(node.args) - first + len(node.keywords):
        return None
    return exponent, given
