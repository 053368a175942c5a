"""TRN533."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.programs.wraps import wrap
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, Class, How
from trainlint.analysis.syntax.names import constant, nodes_in, position
from trainlint.analysis.syntax.reaching import reaching, single_value
from trainlint.analysis.syntax.uses import call_of
from trainlint.analysis.tables.parallel import DDP_ORIGINS, Wrapper
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers

_SYNCHRONISED = lazy(r"sync_?b(atch_?)?n(orm)?|InPlaceABN|GroupNorm|convert_sync|freeze_?bn", re.IGNORECASE)
_BATCH_NORM = lazy(r"^torch\.nn\.(modules\.batchnorm\.)?BatchNorm[123]d$")
_NETWORKS = lazy(r"^torchvision\.models\.(\w+\.)*(wide_)?(res|dense|mobile|shuffle|google|efficient|mnas|reg)ne?x?t")
"""Networks of torchvision with batch norm."""
_FEW = 8
_FOLLOWED = 4


class LocalBatchNorm(Rule):
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

    ## Stays silent
    Where the file speaks of synchronised, frozen or group normalisation; where the batch of a process is larger than 8
    samples or not written out; where the network is not in sight; in files without a backward. Quietly, below the
    default confidence, in tests.

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
    heat_matters = False
    triggers = Triggers(references=DDP_ORIGINS)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find networks with batch norm whose every process sees a few samples a step."""
        place = call_of(site.file, site.node)
        found = wrap(site.file, place) if place is not None else None
        if found is None or found.wrapper is not Wrapper.DDP or "backward" not in site.file.outline.calls:
            return
        if site.file.says(_SYNCHRONISED):
            return
        if not _has_batch_norm(site.file, found.module, site.block, _FOLLOWED):
            return
        size = _samples(site.file)
        if size is not None and size <= _FEW:
            yield self.finding(
                site,
                f"each batch norm of this network sees no more than the {size} samples of one process; take statistics "
                "over all processes by `SyncBatchNorm.convert_sync_batchnorm` before the wrap",
                at=found.call,
                confidence=0.6 if is_test_path(site.path) else 0.75,
            )


def _samples(file: SemanticModel) -> int | None:
    """The largest batch that a loader of the file draws; None where one of them is not written out."""
    sizes = []
    for loader in file.loaders.built.values():
        given = file.loaders.option(loader, "batch_size")
        value = given.value if given.given else None
        size = constant(single_value(value, loader.block) or value) if value is not None else ...
        if not isinstance(size, int):
            return None
        sizes.append(size)
    return max(sizes, default=None)


def _has_batch_norm(file: SemanticModel, node: ast.expr, block: Block, depth: int) -> bool:
    """Whether an expression is a network with batch norm: of torchvision, or of a class of the file."""
    if not depth:
        return False
    if isinstance(node, ast.Call):
        if _NETWORKS.search(file.kinds.imported(node.func, block) or ""):
            return True
        cls = file.graph.instance_class(node, block)
        if cls is not None:
            return _builds_batch_norm(file, cls)
        return isinstance(node.func, ast.Attribute) and _has_batch_norm(file, node.func.value, block, depth - 1)
    if isinstance(node, ast.Name):
        return any(
            _has_batch_norm(file, item.value, item.block, depth - 1)
            for item in reaching(node.id, block, position(node))
            if item.how is How.ASSIGN and item.value is not None
        )
    return False


def _builds_batch_norm(file: SemanticModel, cls: Class) -> bool:
    inside = {part for part in nodes_in(cls.node) if isinstance(part, ast.expr)}
    return any(
        place.node in inside and _BATCH_NORM.match(file.kinds.imported(place.node, place.block) or "")
        for place in file.outline.references
        if isinstance(place.node, ast.expr)
    )
