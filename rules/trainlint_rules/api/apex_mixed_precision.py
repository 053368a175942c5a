"""TRN817."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.roles import references_by
from trainlint.analysis.syntax.uses import call_of
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers

_ADVICE = {
    "initialize": "leave it out: the model stays in float32, and `torch.autocast` chooses types",
    "scale_loss": "scale with `torch.amp.GradScaler` instead: `scaler.scale(loss).backward()`",
}
"""What starts mixed precision and what each step needs; all else of `apex.amp` goes with these two."""
_OF_APEX = lazy(r"apex", re.IGNORECASE)


class ApexMixedPrecision(Rule):
    """Mixed precision by `apex.amp`, which is no longer maintained

    ## Why
    `apex.amp` was written before PyTorch had mixed precision. Its repository calls it deprecated in favour of
    `torch.amp`: it patches PyTorch's functions at run time, has to be compiled for each version of PyTorch and CUDA,
    casts whole models at level O2 and up, and knows neither bfloat16 nor `torch.compile`.

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

    ## Stays silent
    For calls that go when these go, such as `amp.master_params`; for the other parts of apex, such as its fused
    optimizers and norms; for a class or function that is called after apex (`ApexScaler`), which a library offers to
    those who still ask for it; and for a module `apex` of your own that is imported relatively.

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
    severity = Severity.WARNING
    heat_matters = False
    triggers = Triggers(references=("apex.amp",))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find the import of `apex.amp`, and the calls that start and use it."""
        if isinstance(site.node, ast.ImportFrom):
            uses = [use for use in references_by(site.file, site.node) if _name(use.node) in _ADVICE]
            if uses and all(_offers_apex(site.file, use) for use in uses):
                return
            advice = "use `torch.autocast` with `torch.amp.GradScaler`"
            yield self.finding(site, f"`apex.amp` is deprecated; {advice}", confidence=0.95)
            return
        if not isinstance(site.node, ast.expr) or _offers_apex(site.file, site.place):
            return
        call = call_of(site.file, site.node)
        name = (site.origin(site.node) or "").rpartition(".")[2]
        if call is not None and name in _ADVICE:
            message = f"`apex.amp.{name}` is deprecated; {_ADVICE[name]}"
            yield self.finding(site, message, at=call.node, confidence=0.95)


def _name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else ""


def _offers_apex(file: SemanticModel, use: Place) -> bool:
    """Whether the class or function around a use says by its name that it is there for apex."""
    function = file.graph.enclosing(use.block)
    return function is not None and bool(_OF_APEX.search(function.qualified_name))
