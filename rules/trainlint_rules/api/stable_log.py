"""TRN811."""

from __future__ import annotations

import ast

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import constant
from trainlint.analysis.syntax.uses import own_nodes
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guard import guard
from trainlint.finding import Severity
from trainlint.patterns import lazy

_COUNTS = lazy(
    r"(\b|_)(dur|durs|durations?|counts?|lengths?|lens?|indices|idx|positions?|ranks?|ceil|floor|round|long|int)(\b|_)"
)
"""Names of what is counted, and of what makes whole numbers."""


@guard
def of_whole_numbers(site: Site) -> bool:
    """One is added to whole numbers (by their names), so that no digit is lost."""
    rest = _more_than_one(site.call.args[0]) if isinstance(site.node, ast.Call) and site.call.args else None
    return rest is not None and _COUNTS.search(ast.unparse(rest)) is not None


class StableLog(CallRule):
    """`log(1 + x)`, `exp(x) - 1` and `log(sum(exp(x)))`, which lose digits or overflow

    ## Why
    In float32, 1 + x is 1 for all x below 6e-8, and bfloat16 keeps 8 bits: `torch.log(1 + x)` and `torch.exp(x) - 1`
    lose most digits for small x, in the gradient too. `torch.exp` is infinite in float32 from x = 89 on, in float16
    from 11.1 on, so a log of a sum of exponentials becomes infinite where its value is small. PyTorch has one kernel
    for each of these. Sums of masked or weighted exponentials have none. NumPy and Python's `math` compute in double
    precision and are left alone.

    ## Example
    ```python
    import torch


    def terms(x, rate, scores):
        gain = torch.log(1 + rate)
        growth = torch.exp(rate) - 1
        total = torch.log(torch.sum(torch.exp(scores), dim=-1))
        return gain + growth + total + torch.log(1 + torch.exp(x))
    ```

    ## Use instead
    ```python
    import torch


    def terms(x, rate, scores):
        gain = torch.log1p(rate)
        growth = torch.expm1(rate)
        total = torch.logsumexp(scores, dim=-1)
        return gain + growth + total + torch.nn.functional.softplus(x)
    ```

    ## Confirmed by
    Cannot be measured by a probe: values are less exact, or become infinite for inputs that a run may never see.

    ## Gain
    Exactness. One kernel and one tensor in place of two or three, not measured here and nothing under `torch.compile`,
    which fuses them.

    ## References
    - `torch.log1p`: https://docs.pytorch.org/docs/stable/generated/torch.log1p.html
    - `torch.logsumexp`: https://docs.pytorch.org/docs/stable/generated/torch.logsumexp.html
    - `torch.nn.functional.softplus`:
      https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.softplus.html
    """

    code = "TRN811"
    name = "stable-log"
    severity = Severity.ADVICE
    aliases = ("TOR106", "TOR107", "TOR108")
    preview = True
    on = ("torch.log", "torch.exp")
    in_tests = True
    unless = (of_whole_numbers,)
    message = "{fact}"
    help = "write `{instead}`"

    def found(self, site: Site) -> Match | None:
        """One of the three forms, written in one expression."""
        given = site.call.args[0] if len(site.call.args) == 1 and not site.call.keywords else None
        if given is None:
            return None
        if site.origin(site.call.func) == "torch.exp":
            less = next((node for node in own_nodes(site.statement) if _is_less_one(node, site.call)), None)
            fields = {"fact": "`torch.exp(x) - 1` loses the digits of a small x", "instead": "torch.expm1(x)"}
            return Match(site.at(less), fields=fields) if less is not None else None
        rest = _more_than_one(given)
        if rest is not None and _is_exponent(site, rest):
            fields = {"fact": "`torch.log(1 + torch.exp(x))` is infinite for a large x", "instead": "F.softplus(x)"}
        elif rest is not None:
            fields = {"fact": "`torch.log(1 + x)` loses the digits of a small x", "instead": "torch.log1p(x)"}
        elif _is_summed_exponent(site, given):
            fields = {"fact": "a log of summed exponentials overflows", "instead": "torch.logsumexp(x, dim)"}
        else:
            return None
        return Match(site, fields=fields)


def _is_one(node: ast.AST) -> bool:
    value = constant(node)
    return type(value) in (int, float) and value == 1


def _more_than_one(node: ast.expr) -> ast.expr | None:
    """The x of `1 + x` and `x + 1`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return node.right if _is_one(node.left) else node.left if _is_one(node.right) else None
    return None


def _is_less_one(node: ast.AST, exponent: ast.Call) -> bool:
    """Whether a node is `exp(x) - 1`."""
    match node:
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return left is exponent and _is_one(right)
    return False


def _is_exponent(site: Site, node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and site.origin(node.func) == "torch.exp"


def _is_summed_exponent(site: Site, node: ast.expr) -> bool:
    """Whether a call sums `torch.exp(x)` from which nothing was subtracted, so that it may overflow."""
    match node:
        case ast.Call(func=ast.Attribute(attr="sum", value=value), args=args):
            summed = args[0] if site.origin(node.func) == "torch.sum" and args else value
            of = summed.args[0] if isinstance(summed, ast.Call) and summed.args else None
            return _is_exponent(site, summed) and not (isinstance(of, ast.BinOp) and isinstance(of.op, ast.Sub))
    return False
