"""TRN533."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument
from trainlint.analysis.tables.parallel import DDP_ORIGINS
from trainlint.analysis.tables.signs import OTHER_NORMS
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.autograd import runs_no_backward
from trainlint.contract.guards.names import shows
from trainlint.finding import Confidence, Severity
from trainlint_rules.distributed.idioms.batch_norms import enough_samples, has_batch_norm, largest_batch


class LocalBatchNorm(CallRule):
    """Batch norm under DistributedDataParallel over the few samples of one GPU

    ## Why
    DistributedDataParallel averages gradients, not statistics: each process normalises by the mean and variance of its
    own batch. Eight samples and fewer estimate them badly, however many processes there are: for ResNet-50 on ImageNet
    the error rises from 23.6% with 32 images a GPU to 24.8% with 8 and 34.7% with 2 (Group Normalization, table 2).
    `SyncBatchNorm` takes the statistics over all processes.

    ## Example
    ```python
    import torch
    import torchvision
    from torch.nn.parallel import DistributedDataParallel
    from torch.utils.data import DataLoader


    def train(dataset, sampler, criterion, local_rank):
        loader = DataLoader(dataset, batch_size=4, sampler=sampler, num_workers=8, pin_memory=True)
        model = torchvision.models.resnet50().cuda(local_rank)
        model = DistributedDataParallel(model, device_ids=[local_rank])
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for inputs, targets in loader:
            inputs = inputs.cuda(local_rank, non_blocking=True)
            targets = targets.cuda(local_rank, non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch
    import torchvision
    from torch.nn.parallel import DistributedDataParallel
    from torch.utils.data import DataLoader


    def train(dataset, sampler, criterion, local_rank):
        loader = DataLoader(dataset, batch_size=4, sampler=sampler, num_workers=8, pin_memory=True)
        model = torchvision.models.resnet50().cuda(local_rank)
        model = torch.nn.SyncBatchNorm.convert_sync_batchnorm(model)
        model = DistributedDataParallel(model, device_ids=[local_rank])
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for inputs, targets in loader:
            inputs = inputs.cuda(local_rank, non_blocking=True)
            targets = targets.cuda(local_rank, non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Confirmed by
    Running statistics of the batch norms that differ from rank to rank.

    ## Gain
    Accuracy, not speed: up to what the table above shows, as far as the processes together have more samples. It costs
    one small collective a layer in the forward and one in the backward, which slows the step down.

    ## References
    - `SyncBatchNorm`: https://docs.pytorch.org/docs/stable/generated/torch.nn.SyncBatchNorm.html
    - Group Normalization: https://arxiv.org/abs/1803.08494
    """

    code = "TRN533"
    name = "local-batch-norm"
    severity = Severity.ADVICE
    preview = True
    on = DDP_ORIGINS
    sure = Confidence.LIKELY
    unless = (
        runs_no_backward,
        shows("the code names synchronised, frozen or group normalisation", OTHER_NORMS),
        enough_samples,
    )
    message = "batch norms see only the {size} samples of one rank at a time"
    help = "call `SyncBatchNorm.convert_sync_batchnorm` on the model before you wrap it"

    def found(self, site: Site) -> Match | None:
        """A wrap of a network that is in sight and has batch norms."""
        module = argument(site.call, "module", 0)
        if module is None or not has_batch_norm(site.file, module, site.block):
            return None
        return Match(site, fields={"size": largest_batch(site.file)})
