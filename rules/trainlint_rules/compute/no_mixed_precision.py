"""TRN401."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainlint.analysis.programs.proof_of_absence import proof_of_absence
from trainlint.analysis.site import Site
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers

_PRECISION = (FactKind.AUTOCAST, FactKind.HALF_WEIGHTS, FactKind.GRAD_SCALER)
_LARGE = frozenset({"attention", "conv2d", "conv3d", "pretrained"})
_SPOKEN_OF = lazy(
    r"autocast|grad_?scaler|bfloat16|float16|bf16|fp16|\.half\(|mixed_precision|precision|(^|[^a-z])amp([^a-z]|$)|apex",
    re.IGNORECASE,
)
"""Any word of mixed precision in the file: an option, a comment that says why not."""
_OLD = lazy(r"\bvolatile\s*=\s*True|\w\.data\[0\]")
"""What PyTorch has refused or ignored since 0.4: such code runs only where there is no autocast."""
_EXACT = lazy(r"float64|\.double\(|DoubleTensor|quantiz|quantis|int8", re.IGNORECASE)
"""Code that needs its precision, or another one."""
_SMALL = lazy(r"mnist|gym\b|gymnasium|create_graph|autograd\.grad\b|torch_geometric|\bdgl\b", re.IGNORECASE)
"""Data too small to fill tensor cores, reinforcement learning, graphs, whose time goes into gathering, and second
derivatives, which need scaling by hand."""


class NoMixedPrecision(Rule):
    """A network of convolutions or attention trains on CUDA in float32, and autocast is nowhere on the way

    ## Why
    Matrix products and convolutions run several times faster on tensor cores in 16 bits than in float32, and the
    activations that autograd keeps take half the memory. Autocast runs these operations in bfloat16 and leaves the
    rest, the weights and the optimizer in float32. On GPUs that know bfloat16 (Ampere and newer) it takes one line
    around the forward and the loss, and no gradient scaler.

    ## Example
    ```python
    import torch
    from torch import nn


    def train(model, criterion, optimizer, train_loader):
        for images, labels in train_loader:
            images = images.cuda(non_blocking=True)
            labels = labels.cuda(non_blocking=True)
            loss = criterion(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


    def main(train_loader, epochs):
        model = nn.Sequential(nn.Conv2d(3, 256, 3), nn.ReLU(), nn.Flatten(), nn.LazyLinear(1000)).cuda()
        optimizer = torch.optim.AdamW(model.parameters())
        for epoch in range(epochs):
            train(model, nn.CrossEntropyLoss(), optimizer, train_loader)


    if __name__ == "__main__":
        from data import train_loader

        main(train_loader, 90)
    ```

    ## Use instead
    ```python
    import torch
    from torch import nn


    def train(model, criterion, optimizer, train_loader):
        for images, labels in train_loader:
            images = images.cuda(non_blocking=True)
            labels = labels.cuda(non_blocking=True)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = criterion(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


    def main(train_loader, epochs):
        model = nn.Sequential(nn.Conv2d(3, 256, 3), nn.ReLU(), nn.Flatten(), nn.LazyLinear(1000)).cuda()
        optimizer = torch.optim.AdamW(model.parameters())
        for epoch in range(epochs):
            train(model, nn.CrossEntropyLoss(), optimizer, train_loader)


    if __name__ == "__main__":
        from data import train_loader

        main(train_loader, 90)
    ```

    The backward stands outside: it runs in the precision of the forward by itself. On older GPUs, which know float16
    only, a `torch.amp.GradScaler` is needed besides.

    ## Stays silent
    Where the file speaks of mixed precision in any way, or anything on the way into the loop does: an option, a
    scaler, half weights, a configuration; under a framework, which has a setting for it; where a part of the way into
    the loop is out of sight; in float64 and quantised code; for networks of linear layers only, toy data sets,
    reinforcement learning, graph networks and gradient penalties; in code of PyTorch before 0.4.

    ## Confirmed by
    A profile of a step holds float32 kernels (`sgemm`, `fprop` without a half type in their names) and no product
    on 16 bits.

    ## Gain
    PyTorch's recipe for automatic mixed precision speaks of 2 to 3 times for compute-bound networks on tensor cores;
    not measured here. Nothing where the loader or launches hold the step up, or layers are small.

    ## References
    - Automatic mixed precision: https://docs.pytorch.org/docs/stable/amp.html
    - Recipe with figures: https://docs.pytorch.org/tutorials/recipes/recipes/amp_recipe.html
    """

    code = "TRN401"
    name = "no-mixed-precision"
    severity = Severity.ADVICE
    heat_matters = False
    triggers = Triggers(loops=True)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find training loops on CUDA around which nothing speaks of mixed precision."""
        way = proof_of_absence(site)
        if way is None or way.uses(*_PRECISION) or not way.details(FactKind.NETWORK) & _LARGE:
            return
        text = site.source.text
        if _SPOKEN_OF.search(text) or _OLD.search(text) or _EXACT.search(text) or _SMALL.search(text):
            return
        yield self.finding(
            site.at(site.node, way.loop),
            "this loop trains in float32, and nothing on the way into it speaks of mixed precision; run forward and "
            "loss under `torch.autocast` with bfloat16, if the GPU knows it",
            at=way.shown_at(site.file),
            confidence=0.75,
        )
