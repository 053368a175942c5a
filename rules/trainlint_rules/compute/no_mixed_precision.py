"""TRN401."""

from __future__ import annotations

from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.analysis.tables.signs import PRECISION, SECOND_DERIVATIVES
from trainlint.contract.bases import AbsenceRule
from trainlint.contract.guards.names import shows
from trainlint.contract.guards.programs import uses
from trainlint.finding import Confidence, Severity
from trainlint_rules.compute.idioms.training_precision import (
    in_float64,
    narrow_network,
    quantised,
    trains_in_16_bits,
    trains_little,
)


class NoMixedPrecision(AbsenceRule):
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
    costs_steps = True
    sure = Confidence.LIKELY
    networks = frozenset({"attention", "conv2d", "conv3d", "pretrained"})
    unless = (
        trains_in_16_bits,
        uses(
            "the code on the way into the loop names mixed precision, if only as an option",
            FactKind.HALF_NAMED,
        ),
        shows("the code names a precision", PRECISION),
        in_float64,
        quantised,
        trains_little,
        narrow_network,
        shows("the code needs second derivatives, which it must scale itself", SECOND_DERIVATIVES),
    )
    message = "this loop trains in float32, and nothing on the way into it uses mixed precision"
    help = (
        "run the forward under `torch.autocast` with bfloat16 (Ampere or newer); keep losses with logarithms of "
        "probabilities, such as a focal loss, in float32"
    )
