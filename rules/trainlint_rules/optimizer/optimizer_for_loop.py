"""TRN601."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import constant, last_name
from trainlint.analysis.tables.optimizers import CLASSES, FUSED_SINCE
from trainlint.finding import Finding, Fix, Safety, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom

_MEMORY = lazy(r"memory|\boom\b|\bgb\b|\bgib\b|peak", re.IGNORECASE)
_LINES = 3
"""How many lines above the call may say why."""


class OptimizerForLoop(Rule):
    """An optimizer that is told to update one parameter at a time, by `foreach=False`

    ## Why
    By default PyTorch's optimizers update all parameters on CUDA by a few kernels over lists of tensors. With
    `foreach=False` a Python loop starts a dozen kernels for each parameter instead. What people want of it is memory:
    the lists cost about one more copy of the parameters at the peak. `fused=True` needs no such copy either, and does
    the whole update in one kernel for many tensors.

    ## Example
    ```python
    import torch


    def build(model):
        return torch.optim.AdamW(model.parameters(), lr=1e-4, foreach=False)
    ```

    ## Use instead
    ```python
    import torch


    def build(model):
        return torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    ```

    ## Stays silent
    Where the lines above the call speak of memory and the optimizer has no fused implementation; for values that are
    not written out; where the project lets in a PyTorch without it (`Adam` and `AdamW` 2.0, `SGD` 2.3).

    ## Fix safety
    The fused kernel rounds differently, takes floating-point parameters of one device only, and no `closure` that
    changes the gradients under a gradient scaler.

    ## Confirmed by
    `trainlint probe` tries, after the measured steps, each way in which this optimizer could update copies of its
    parameters, and tells what a step would gain by the fastest. Else thousands of small `aten::mul_` and
    `aten::addcdiv_` under `Optimizer.step` in a profile, where `_fused_adamw_` is one.

    ## Gain
    PyTorch's documentation ranks the implementations: fused is usually fastest, then foreach, then the for-loop; and
    it names the size of the parameters as what foreach needs more at the peak. Not measured here; nothing where the
    optimizer is a small part of the step.

    ## References
    - Implementations of optimizers: https://docs.pytorch.org/docs/stable/optim.html#algorithms
    """

    code = "TRN601"
    name = "optimizer-for-loop"
    severity = Severity.WARNING
    fix_safety = Safety.UNSAFE
    heat_matters = False
    preview = True
    confirmed_by = frozenset({Symptom.OPTIMIZER_STEP})
    triggers = Triggers(calls=frozenset(CLASSES))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find optimizers of torch.optim with a literal `foreach=False` and no fused implementation asked for."""
        name = last_name(site.call.func)
        given = {keyword.arg: keyword.value for keyword in site.call.keywords}
        origin = site.origin(site.call.func) or ""
        if not origin.startswith("torch.optim") or constant(given.get("foreach")) is not False:
            return
        if "fused" in given and constant(given["fused"]) not in (False, None):
            return
        since = FUSED_SINCE.get(name)
        fused = since is not None and not site.lacks(since)
        if not fused and _says_why(site):
            return
        advice = "`fused=True` takes as little memory and one kernel" if fused else "leave the choice to PyTorch"
        yield self.finding(
            site,
            f"`foreach=False` makes `{name}` update one parameter at a time, by a dozen kernels each; {advice}",
            confidence=0.5 if is_test_path(site.path) else 0.85,
            fix=partial(_fix, site) if fused and "fused" not in given else None,
            fix_needs=since,
        )


def _says_why(site: Site) -> bool:
    first, last = site.call.lineno, site.call.end_lineno or site.call.lineno
    return any(_MEMORY.search(site.source.line(number)) for number in range(max(1, first - _LINES), last + 1))


def _fix(site: Site) -> Fix | None:
    from trainlint.fixing.rewrite import attempt

    return attempt(lambda: _rewritten(site))


def _rewritten(site: Site) -> Fix:
    import libcst as cst

    from trainlint.fixing.rewrite import expression, replace_expression

    call = expression(site.source, site.call)
    assert isinstance(call, cst.Call)
    args = [
        item.with_changes(keyword=cst.Name("fused"), value=cst.Name("True"))
        if item.keyword is not None and item.keyword.value == "foreach"
        else item
        for item in call.args
    ]
    edit = replace_expression(site.source, site.call, call.with_changes(args=args))
    return Fix("Use the fused implementation", (edit,), Safety.UNSAFE)
