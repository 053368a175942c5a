"""TRN705."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainlint.analysis.programs.proof_of_absence import proof_of_absence
from trainlint.analysis.site import Site
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers

_FIRST_COMPILER = (2, 0)
_SPOKEN_OF = lazy(r"compil|\bjit\b|dynamo|inductor|CUDAGraph|make_graphed_callables|\bxla\b|\bwindows?\b", re.I)
"""Any word of compiling or capturing in the file: an option, a comment that says why not."""
_HARD_TO_COMPILE = lazy(
    r"torch_geometric|\bdgl\b|detection|nested_tensor|pack_padded_sequence|create_graph|autograd\.grad\b|cpp_extension|"
    r"gym\b|gymnasium|\bmnist|cifar",
    re.IGNORECASE,
)
"""Shapes that change with each batch, second derivatives, kernels of one's own; networks and data sets too small."""
_MEASURES = lazy(r"profil|bench|warm_?up", re.IGNORECASE)
_LARGE = frozenset({"attention", "conv2d", "conv3d", "pretrained"})
_COMPILES_ITSELF = frozenset({"zero"})
"""DeepSpeed's engine has a `compile` of its own."""


class NoCompile(Rule):
    """A network trains on CUDA, and nothing on the way into its loop compiles it

    ## Why
    Without a compiler each operation is a kernel of its own, which reads its inputs from memory and writes its result
    back, and is launched by Python. `torch.compile` joins chains of element-wise operations, norms and reductions into
    few kernels, forward and backward. It takes one line and a first step of some minutes.

    ## Example
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
        model.compile()
        optimizer = torch.optim.AdamW(model.parameters())
        for epoch in range(epochs):
            train(model, nn.CrossEntropyLoss(), optimizer, train_loader)


    if __name__ == "__main__":
        from data import train_loader

        main(train_loader, 90)
    ```

    `model.compile()` compiles in place: `torch.compile(model)` gives a wrapper whose `state_dict` has `_orig_mod.`
    before each name. Pad batches to few shapes, since each new shape may compile again.

    ## Stays silent
    Where the file speaks of compiling or CUDA graphs in any way, or anything on the way into the loop does; under a
    framework, which has a setting for it; where a part of the way is out of sight; where the project lets in a PyTorch
    before 2.0; for graphs, detection, packed sequences, gradient penalties, reinforcement learning and toy data sets;
    for networks of linear layers only.

    ## Confirmed by
    A profile of a step holds thousands of kernels of some microseconds each, and no `triton_` kernel.

    ## Gain
    nanoGPT's README tells of 250 ms an iteration becoming 135 ms; the authors of PyTorch 2 report 1.41 times the speed
    in training, the geometric mean over 180 networks (ASPLOS 2024). Not measured here. Nothing where large products of
    matrices fill the step or the loader holds it up; a loss where shapes change with each batch.

    ## References
    - `torch.compile`: https://docs.pytorch.org/docs/stable/generated/torch.compile.html
    - PyTorch 2: https://docs.pytorch.org/assets/pytorch2-2.pdf
    - nanoGPT: https://github.com/karpathy/nanoGPT
    """

    code = "TRN705"
    name = "no-compile"
    severity = Severity.ADVICE
    heat_matters = False
    preview = True
    triggers = Triggers(loops=True)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find training loops on CUDA around which nothing speaks of compiling."""
        if site.lacks(_FIRST_COMPILER):
            return
        way = proof_of_absence(site)
        if way is None or way.uses(FactKind.COMPILE) or not way.details(FactKind.NETWORK) & _LARGE:
            return
        if way.details(FactKind.FSDP) & _COMPILES_ITSELF:
            return
        text, function = site.source.text, site.function
        if _SPOKEN_OF.search(text) or _HARD_TO_COMPILE.search(text):
            return
        if function is not None and _MEASURES.search(function.qualified_name):
            return
        yield self.finding(
            site.at(site.node, way.loop),
            "nothing on the way into this loop compiles the network; `torch.compile` may fuse what is "
            "now a kernel for each operation",
            at=way.shown_at(site.file),
            confidence=0.7,
        )
