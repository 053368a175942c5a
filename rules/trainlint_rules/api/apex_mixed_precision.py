"""TRN817."""

from __future__ import annotations

import ast

from trainlint.analysis.programs.named_calls import called
from trainlint.analysis.site import Site
from trainlint.contract.bases import ReferenceRule
from trainlint.contract.declared_rule import Match
from trainlint_rules.api.idioms.apex import (
    FP16_OPTIMIZERS,
    INSTEAD,
    instead_of,
    of_fp16_optimizer,
    reported_at_its_uses,
    uses_of_import,
)

_WRAPPER = "apex's `FP16_Optimizer` is deprecated"
_INSTEAD_OF_WRAPPER = "use `torch.autocast`, with `torch.amp.GradScaler` where it is float16"


class ApexMixedPrecision(ReferenceRule):
    """Mixed precision by `apex.amp`, which is no longer maintained

    ## Why
    `apex.amp` was written before PyTorch had mixed precision. Its repository calls it deprecated in favour of
    `torch.amp`: it patches PyTorch's functions at run time, has to be compiled for each version of PyTorch and CUDA,
    casts whole models at level O2 and up, and knows neither bfloat16 nor `torch.compile`. Other calls, such as
    `amp.master_params`, go with these. `FP16_Optimizer`, which wraps an optimizer by hand, is older still and
    deprecated, too. The fused optimizers and norms of apex are another matter.

    ## Example
    ```python
    from apex import amp


    def train(model, criterion, optimizer, loader):
        model, optimizer = amp.initialize(model, optimizer, opt_level="O1")
        for inputs, targets in loader:
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            with amp.scale_loss(loss, optimizer) as scaled_loss:
                scaled_loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, optimizer, loader):
        scaler = torch.amp.GradScaler("cuda")
        for inputs, targets in loader:
            with torch.autocast("cuda", dtype=torch.float16):
                loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
    ```

    With `dtype=torch.bfloat16`, on Ampere and newer, no scaler is needed.

    ## Confirmed by
    Cannot be measured: the import fails where apex is not built.

    ## Gain
    None by itself: the same kernels run. What is gained is code that works with current PyTorch, and bfloat16, which
    needs no scaling.

    ## References
    - NVIDIA/apex, "amp is deprecated": https://github.com/NVIDIA/apex
    - Automatic mixed precision: https://docs.pytorch.org/docs/stable/amp.html
    """

    code = "TRN817"
    name = "apex-mixed-precision"
    editor_tag = "deprecated"
    on = ("apex.amp", *FP16_OPTIMIZERS)
    in_tests = True
    unless = (reported_at_its_uses,)
    message = "`apex.amp{name}` is deprecated"
    help = "{instead}"

    def found(self, site: Site) -> Match | None:
        """The import of `apex.amp`, the calls that start and use it, and optimizers that apex wraps for float16."""
        if of_fp16_optimizer(site):
            used = [use.node for use in uses_of_import(site) if isinstance(use.node, ast.expr)]
            related = tuple(site.related(node, "uses it here") for node in used)
            return Match(site, message=_WRAPPER, help=_INSTEAD_OF_WRAPPER, related=related)
        if isinstance(site.node, ast.ImportFrom):
            return Match(site, fields={"name": "", "instead": "use `torch.autocast` with `torch.amp.GradScaler`"})
        there = called(site)
        name = (site.origin(there.call.func) or "").rpartition(".")[2] if there is not None else ""
        if there is None or name not in INSTEAD:
            return None
        return Match(there, fields={"name": f".{name}", "instead": instead_of(there.call, name)})
