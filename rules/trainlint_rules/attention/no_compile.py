"""TRN705."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.analysis.tables.fact_kinds import FactKind, Use
from trainlint.analysis.tables.signs import (
    ANY_COMPILER,
    CHANGING_SHAPES,
    GRAPHS,
    OWN_KERNELS,
    SECOND_DERIVATIVES,
    SMALL,
    SMALL_IMAGES,
    WINDOWS,
)
from trainlint.contract.bases import AbsenceRule
from trainlint.contract.guard import guard
from trainlint.contract.guards.files import supports_older_than
from trainlint.contract.guards.names import shows
from trainlint.contract.guards.programs import uses
from trainlint.finding import Confidence, Severity


@guard
def engine_compiles(site: Site) -> bool:
    """The engine is DeepSpeed's ZeRO, which has its own `compile`."""
    return Use(FactKind.FSDP, "zero") in site.file.used_around


class NoCompile(AbsenceRule):
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
    preview = True
    sure = Confidence.LIKELY
    networks = frozenset({"attention", "conv2d", "conv3d", "pretrained"})  # not of linear layers alone
    unless = (
        supports_older_than((2, 0)),
        uses("something on the way into the loop is compiled", FactKind.COMPILE),
        engine_compiles,
        shows("the code names compiling, CUDA graphs, XLA or Windows", *ANY_COMPILER, WINDOWS),
        shows("shapes change with each batch", CHANGING_SHAPES, GRAPHS),
        shows("the code takes second derivatives or has its own kernels", SECOND_DERIVATIVES, OWN_KERNELS),
        shows("the code trains in a simulator or on a toy data set", *SMALL, SMALL_IMAGES),
    )
    message = "nothing on the way into this loop compiles the network, so each operation is a kernel of its own"
    help = "call `model.compile()` once, before the loop"
