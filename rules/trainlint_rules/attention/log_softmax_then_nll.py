"""TRN708."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import end_position
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Edit, Safety, Severity
from trainlint_rules.attention.idioms.nll_losses import CLASSES, asks_for_type, log_probabilities, used_otherwise


class LogSoftmaxThenNll(CallRule):
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

    ## Fix safety
    PyTorch's own kernels give the same bits. Others, as those of a compiler or another device, may round one step in
    place of two differently. Where the dimension is written as -1, the fix is unsafe: `cross_entropy` takes dimension
    1, which is the same for scores of two dimensions alone.

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
    preview = True
    on = ("torch.nn.functional.nll_loss",)
    in_tests = True
    unless = (asks_for_type, used_otherwise)
    message = "only this loss uses the log-softmax of line {line}"
    help = "pass the scores to `F.cross_entropy`, which does both"
    fix_title = "Compute the cross-entropy from the scores"
    fix_safety = Safety.NUMERICS

    def found(self, site: Site) -> Match | None:
        """A loss of log-probabilities that are made in the same function."""
        known = log_probabilities(site)
        if known is None:
            return None
        safety = None if known.made.dimension == CLASSES else Safety.UNSAFE
        return Match(site, fields={"line": known.made.call.lineno, "known": known}, fix_safety=safety)

    def edits(self, site: Site, match: Match) -> Iterable[Edit]:
        """`cross_entropy` of the scores, where the log-softmax stands in the loss itself."""
        from trainlint.fixing.rewrite import expression, replace_expression

        known, function = match["known"], site.call.func
        if known.given is known.made.call and isinstance(function, ast.Attribute):
            stop = site.source.offset(*end_position(function))
            yield Edit(stop - len(function.attr), stop, "cross_entropy")
            yield replace_expression(site.source, known.given, expression(site.source, known.scores))
