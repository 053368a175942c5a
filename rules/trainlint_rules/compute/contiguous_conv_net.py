"""TRN408."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainlint.analysis.programs.proof_of_absence import proof_of_absence
from trainlint.analysis.site import Site
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers

_HALF = (FactKind.AUTOCAST, FactKind.HALF_WEIGHTS)
_SPOKEN_OF = lazy(r"channels_last|memory_format|mnist", re.IGNORECASE)


class ContiguousConvNet(Rule):
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

    ## Stays silent
    In float32, where the gain is uncertain; where the network holds attention or convolutions in three dimensions, or
    is trained by `DataParallel`; where anything on the way speaks of a memory format; where a part of the way is out
    of sight or a framework is in charge.

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
    heat_matters = False
    preview = True
    triggers = Triggers(loops=True)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find training loops of convolution networks in 16 bits around which nothing speaks of channels_last."""
        way = proof_of_absence(site)
        if way is None or way.details(FactKind.NETWORK) != {"conv2d"} or not way.uses(*_HALF):
            return
        if way.uses(FactKind.CHANNELS_LAST, FactKind.DATA_PARALLEL) or site.file.says(_SPOKEN_OF):
            return
        yield self.finding(
            site.at(site.node, way.loop),
            "this loop trains convolutions in 16 bits with channels first, so that images are turned round at each of "
            "them; give the model and its images `memory_format=torch.channels_last`",
            at=way.shown_at(site.file),
            confidence=0.75,
        )
