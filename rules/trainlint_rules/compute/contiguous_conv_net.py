"""TRN408."""

from __future__ import annotations

from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.analysis.tables.signs import MEMORY_FORMATS, TINY_IMAGES
from trainlint.contract.bases import AbsenceRule
from trainlint.contract.guards.names import shows
from trainlint.contract.guards.programs import uses
from trainlint.finding import Confidence, Severity
from trainlint_rules.compute.idioms.training_precision import holds_other_layers, trains_in_float32


class ContiguousConvNet(AbsenceRule):
    """A convolution network trains in 16 bits with its channels first; nothing speaks of channels_last

    ## Why
    cuDNN's convolutions on tensor cores work on images whose channels lie side by side. Tensors in PyTorch's usual
    order are turned round before each of these convolutions and back after it. `memory_format=torch.channels_last`
    for the model and for the images keeps that order through all layers.

    ## Example
    ```python
    import torch
    from torchvision.models import resnet50

    from data import train_loader

    model = resnet50().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for images, labels in train_loader:
        images = images.cuda(non_blocking=True)
        labels = labels.cuda(non_blocking=True)
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = torch.nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    ```

    ## Use instead
    ```python
    import torch
    from torchvision.models import resnet50

    from data import train_loader

    model = resnet50().cuda().to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for images, labels in train_loader:
        images = images.cuda(non_blocking=True).to(memory_format=torch.channels_last)
        labels = labels.cuda(non_blocking=True)
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = torch.nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    ```

    ## Confirmed by
    Kernels such as `nchwToNhwcKernel` and `nhwcToNchwKernel` around the convolutions of a profile.

    ## Gain
    PyTorch's tutorial on memory formats names 22 % for ResNet-50 with mixed precision and 8 to 35 % over several
    networks on a V100; not measured here. Less, or a loss, where many operations between the convolutions keep no
    memory format, as a `view` that flattens.

    ## References
    - Channels last: https://docs.pytorch.org/tutorials/intermediate/memory_format_tutorial.html
    """

    code = "TRN408"
    name = "contiguous-conv-net"
    severity = Severity.ADVICE
    preview = True
    sure = Confidence.LIKELY
    networks = frozenset({"conv2d"})
    unless = (
        trains_in_float32,
        holds_other_layers,
        uses("the way into the loop sets a memory format", FactKind.CHANNELS_LAST),
        uses("the network is trained by `DataParallel`", FactKind.DATA_PARALLEL),
        shows("the code names memory formats", MEMORY_FORMATS),
        shows("the file trains on MNIST, whose images are too small", TINY_IMAGES),
    )
    message = "convolutions run in 16 bits with channels first, and each of them transposes its images"
    help = "give the model and its images `memory_format=torch.channels_last`"
