"""TRN601."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import constant, last_name
from trainlint.analysis.tables.optimizers import CLASSES, FUSED_SINCE
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Confidence

_LEFT_TO_PYTORCH = "remove `foreach=False`, and PyTorch chooses the implementation"


class OptimizerForLoop(CallRule):
    """An optimizer that is told to update one parameter at a time, by `foreach=False`

    ## Why
    By default PyTorch's optimizers update all parameters on CUDA by a few kernels over lists of tensors. With
    `foreach=False` a Python loop starts a dozen kernels for each parameter instead. What people want of it is memory:
    the lists cost about one more copy of the parameters at the peak. `fused=True` needs no such copy either, and does
    the whole update in one kernel for many tensors.

    Only values that are written out are looked at. The fused implementation is advised where each PyTorch that the
    project supports has it: `Adam` and `AdamW` since 2.0, `SGD` since 2.3.

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

    ## Confirmed by
    `trainlint prove --fixes TRN601 train.py` measures steps with and without it. In a profile, thousands of small
    `aten::mul_` and `aten::addcdiv_` under `Optimizer.step`, where `_fused_adamw_` is one.

    ## Gain
    PyTorch's documentation ranks the implementations: fused is usually fastest, then foreach, then the for-loop; and
    it names the size of the parameters as what foreach needs more at the peak. Not measured here; nothing where the
    optimizer is a small part of the step.

    ## References
    - Implementations of optimizers: https://docs.pytorch.org/docs/stable/optim.html#algorithms
    """

    code = "TRN601"
    name = "optimizer-for-loop"
    on = tuple(f"torch.optim.*.{name}" for name in CLASSES)
    sure = Confidence.LIKELY
    message = "`foreach=False` makes `{optimizer}` update one parameter at a time, with a dozen kernels each"
    help = "use `fused=True`, which takes as little memory and one kernel"

    def found(self, site: Site) -> Match | None:
        """A literal `foreach=False` without a fused implementation."""
        given = {keyword.arg: constant(keyword.value) for keyword in site.call.keywords}
        if given.get("foreach") is not False or given.get("fused", False) not in (False, None):
            return None
        name = last_name(site.call.func)
        since = FUSED_SINCE.get(name)
        instead = _LEFT_TO_PYTORCH if since is None or site.lacks(since) else None
        return Match(site, fields={"optimizer": name}, help=instead, fix_needs=since)
