"""TRN708."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, nodes_in
from trainlint.analysis.syntax.uses import loads
from trainlint.finding import Finding, Fix, Safety, Severity
from trainlint.rule import Rule, Triggers
from trainlint_rules.attention.idioms.softened import Softened, loss_given, softened

_CLASSES = 1
"""The dimension of the classes, for `nll_loss` and `cross_entropy` alike."""


class LogSoftmaxThenNll(Rule):
    """A log-softmax that is computed only for `nll_loss`, instead of `cross_entropy` from the scores

    ## Why
    `cross_entropy` is the log-softmax and the `nll_loss` in one call. Written apart, the dimension must be given twice
    and can be wrong, label smoothing and class probabilities as targets are out of reach, and compilers and fused
    kernels for large vocabularies, which look for the one call, find nothing to replace.

    ## Example
    ```python
    import torch.nn.functional as F


    def step(model, inputs, targets):
        return F.nll_loss(F.log_softmax(model(inputs), dim=1), targets)
    ```

    ## Use instead
    ```python
    import torch.nn.functional as F


    def step(model, inputs, targets):
        return F.cross_entropy(model(inputs), targets)
    ```

    The fix is safe where the log-softmax is taken over dimension 1, as `cross_entropy` takes it, and unsafe where it
    is written as -1, which is the same for scores of two dimensions alone.

    ## Stays silent
    Where the log-probabilities are used for anything else, as for a prediction or a second loss; where the model
    returns them; where a data type is asked for.

    ## Confirmed by
    Cannot be measured: PyTorch runs the same two kernels for `cross_entropy`.

    ## Gain
    Hardly any in time or memory by itself: the results are the same bit for bit. What is gained is what a fused
    cross-entropy saves where one is used, and one place less for a wrong dimension.

    ## References
    - `cross_entropy`: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.cross_entropy.html
    """

    code = "TRN708"
    name = "log-softmax-then-nll"
    severity = Severity.ADVICE
    fix_safety = Safety.SAFE
    heat_matters = False
    preview = True
    triggers = Triggers(calls=frozenset({"nll_loss"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find losses of log-probabilities that are made for them, in the same function."""
        given = loss_given(site.place)
        if given is None or site.origin(site.call.func) != "torch.nn.functional.nll_loss":
            return
        made = softened(site.file, given, site.block)
        if made is None or made.function != "log_softmax" or made.given is None or made.dimension not in (_CLASSES, -1):
            return
        if len(made.call.args) > 2 or argument(made.call, "dtype") is not None or not _is_only_use(site, given, made):
            return
        yield self.finding(
            site,
            "the log-softmax is computed for this loss alone; `cross_entropy` takes the scores and does both",
            confidence=0.9,
            fix=partial(_fix, site, given, made),
        )


def _is_only_use(site: Site, given: ast.expr, made: Softened) -> bool:
    """Whether the log-probabilities stand in the loss itself, or are a name of this function read nowhere else."""
    if given is made.call:
        return True
    if not isinstance(given, ast.Name) or site.function is None:
        return False
    read_once = sum(1 for _ in loads(site.function.node, given.id)) == 1
    return read_once and any(part is made.call for part in nodes_in(site.function.node))


def _fix(site: Site, given: ast.expr, made: Softened) -> Fix | None:
    if given is not made.call or made.given is None or not isinstance(site.call.func, ast.Attribute):
        return None
    from trainlint.fixing.rewrite import attempt, expression, replace_expression

    scores, function = made.given, site.call.func

    def make() -> Fix:
        import libcst as cst

        old = expression(site.source, function)
        assert isinstance(old, cst.Attribute)
        edits = (
            replace_expression(site.source, function, old.with_changes(attr=cst.Name("cross_entropy"))),
            replace_expression(site.source, given, expression(site.source, scores)),
        )
        safety = Safety.SAFE if made.dimension == _CLASSES else Safety.UNSAFE
        return Fix("Compute the cross-entropy from the scores", edits, safety)

    return attempt(make)
