"""TRN811."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant, has_unpacked_arguments
from trainlint.analysis.syntax.uses import own_nodes
from trainlint.finding import Finding, Fix, Safety, Severity
from trainlint.rule import Rule, Triggers


class StableLog(Rule):
    """`log(1 + x)`, `exp(x) - 1` and `log(sum(exp(x)))`, which lose digits or overflow

    ## Why
    In float32, 1 + x is 1 for all x below 6e-8, and bfloat16 keeps 8 bits: `torch.log(1 + x)` and `torch.exp(x) - 1`
    lose most digits for small x, in the gradient too. `torch.exp` is infinite in float32 from x = 89 on, in float16
    from 11.1 on, so a log of a sum of exponentials becomes infinite where its value is small. PyTorch has one kernel
    for each of these.

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

    ## Stays silent
    For NumPy's and Python's own functions, for other constants than 1, for sums of masked or weighted
    exponentials, and where the largest exponent is subtracted first.

    ## Fix safety
    The same function, rounded otherwise: results differ where the old ones were less exact.

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
    fix_safety = Safety.NUMERICS
    heat_matters = False
    aliases = ("TOR106", "TOR107", "TOR108")
    preview = True
    triggers = Triggers(calls=frozenset({"log", "exp"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find the three forms, written in one expression."""
        call = site.call
        if has_unpacked_arguments(call):
            return
        if site.origin(call.func) == "torch.exp" and len(call.args) == 1 and not call.keywords:
            difference = _less_one(site)
            if difference is not None:
                message = "`torch.exp(x) - 1` loses the digits of a small x; write `torch.expm1(x)`"
                fix = _fix(site, difference, "torch", "expm1", [call.args[0]])
                yield self.finding(site, message, at=difference, confidence=0.9, fix=fix)
        elif site.origin(call.func) == "torch.log" and len(call.args) == 1 and not call.keywords:
            yield from self._logarithm(site, call, call.args[0])

    def _logarithm(self, site: Site, call: ast.Call, of: ast.expr) -> Iterator[Finding]:
        rest = _more_than_one(of)
        inner = _exponent(site, rest)
        if inner is not None:
            message = "`torch.log(1 + torch.exp(x))` is infinite for a large x; write `F.softplus(x)`"
            fix = _fix(site, call, "torch.nn.functional", "softplus", [inner])
            yield self.finding(site, message, confidence=0.95, fix=fix)
        elif rest is not None:
            message = "`torch.log(1 + x)` loses the digits of a small x; write `torch.log1p(x)`"
            yield self.finding(site, message, confidence=0.9, fix=partial(_fix, site, call, "torch", "log1p", [rest]))
        elif isinstance(of, ast.Call):
            summed = _summed_exponent(site, of)
            if summed is not None:
                exponent, options = summed
                message = "a log of summed exponentials overflows; write `torch.logsumexp(x, dim)`"
                fix = _fix(site, call, "torch", "logsumexp", [exponent], options) if options else None
                yield self.finding(site, message, confidence=0.9, fix=fix)


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


def _summed_exponent(site: Site, call: ast.Call) -> tuple[ast.expr, list[tuple[str, ast.expr]]] | None:
    """The x of a sum over `torch.exp(x)`, and over which dimensions it goes; none where it goes over all."""
    if has_unpacked_arguments(call) or argument(call, "dtype") is not None:
        return None
    if site.origin(call.func) == "torch.sum" and call.args:
        exponent, first = _exponent(site, call.args[0]), 1
    elif isinstance(call.func, ast.Attribute) and call.func.attr == "sum":
        exponent, first = _exponent(site, call.func.value), 0
    else:
        return None
    options = [(name, argument(call, name, first + index)) for index, name in enumerate(("dim", "keepdim"))]
    given = [(name, value) for name, value in options if value is not None]
    if exponent is None or len(given) != len(call.args) - first + len(call.keywords):
        return None
    if isinstance(exponent, ast.BinOp) and isinstance(exponent.op, ast.Sub):
        return None  # the largest one is taken away first, so nothing overflows
    return exponent, given


def _fix(
    site: Site,
    old: ast.expr,
    module: str,
    name: str,
    arguments: list[ast.expr],
    options: list[tuple[str, ast.expr]] | None = None,
) -> Fix | None:
    from trainlint.fixing.rewrite import attempt, ensure_import, expression, replace_expression

    def make() -> Fix:
        import libcst as cst

        written, imports = ensure_import(site.source, site.file.tree, module, name)
        equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
        given = [cst.Arg(expression(site.source, item)) for item in arguments]
        given += [cst.Arg(expression(site.source, item), cst.Name(key), equal=equal) for key, item in options or ()]
        new = cst.Call(cst.parse_expression(written), given)
        return Fix(f"Use {module}.{name}", (*imports, replace_expression(site.source, old, new)), Safety.NUMERICS)

    return attempt(make)
