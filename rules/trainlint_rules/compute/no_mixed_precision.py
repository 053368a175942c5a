"""TRN401."""

from __future__ import annotations

import re

from trainlint.contract.bases import AbsenceRule
from trainlint.contract.guards.files import says
from trainlint.finding import Confidence, Severity
from trainlint.patterns import lazy
from trainlint_rules.compute.idioms.training_precision import trains_in_16_bits

_SPOKEN_OF = lazy(
    r"autocast|grad_?scaler|bfloat16|float16|bf16|fp16|\.half\(|mixed_precision|precision|(^|[^a-z])amp([^a-z]|$)|apex",
    re.IGNORECASE,
)
_OLD = lazy(r"\bvolatile\s*=\s*True|\w\.data\[0\]")
"""What PyTorch has refused or ignored since 0.4."""
_EXACT = lazy(r"float64|\.double\(|DoubleTensor|quantiz|quantis|int8", re.IGNORECASE)
_SMALL = lazy(r"mnist|gym\b|gymnasium|torch_geometric|\bdgl\b", re.IGNORECASE)
_SECOND = lazy(r"create_graph|autograd\.grad\b", re.IGNORECASE)


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
    sure = Confidence.LIKELY
    networks = frozenset({"attention", "conv2d", "conv3d", "pretrained"})
    unless = (
        trains_in_16_bits,
        says("the file speaks of mixed precision, if only in a comment or as an option", _SPOKEN_OF),
        says("the code is written for PyTorch before 0.4, which has no autocast", _OLD),
        says("the code is in float64 or quantised", _EXACT),
        says("the code trains on a small data set, graphs or a simulator", _SMALL),
        says("the code needs second derivatives, which have to be scaled by hand", _SECOND),
    )
    message = "this loop trains in float32, and nothing on the way into it uses mixed precision"
    help = "run forward and loss under `torch.autocast` with bfloat16 (Ampere or newer)"
