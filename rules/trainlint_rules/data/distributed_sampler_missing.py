"""TRN107."""

from __future__ import annotations

import ast

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.contract.declared_rule import Match
from trainlint.finding import Confidence
from trainlint_rules.data import LoaderRule
from trainlint_rules.data.idioms.passes import Pass, PassStart, passes
from trainlint_rules.data.idioms.preparations import prepared
from trainlint_rules.data.idioms.rank_words import is_made_up, made_of, speaks_of_ranks
from trainlint_rules.data.idioms.samplers import has_sampler
from trainlint_rules.data.idioms.trained_passes import kinds_around, not_alone, passes_use, trains

_SEVERAL_PROCESSES = frozenset({FactKind.DDP, FactKind.FSDP})


def _trained(site: Site) -> list[Pass]:
    """The loops that train on the loader's batches."""
    loops = (item for item in passes(site.file, LoaderRule.loader(site)) if item.start is PassStart.LOOP)
    return [item for item in loops if trains(site.file, item)]


class DistributedSamplerMissing(LoaderRule):
    """A loader in DDP or FSDP training from which each process draws the whole dataset

    ## Why
    DDP and FSDP share out the work of a step, not the data: that is the sampler's part. Without one that knows the
    rank, each process goes through the whole dataset. Shuffled by the same seed, or not at all, all processes compute
    the same gradient, and eight GPUs do what one would; shuffled by different seeds, one epoch counts as eight.

    ## Example
    ```python
    import torch
    from torch.nn.parallel import DistributedDataParallel
    from torch.utils.data import DataLoader
    from torchvision.datasets import ImageFolder


    def main(model, criterion, optimizer, device):
        model = DistributedDataParallel(model.cuda(), device_ids=[device])
        images = ImageFolder("data/train")
        loader = DataLoader(images, 64, shuffle=True, num_workers=8, pin_memory=True)
        for inputs, targets in loader:
            loss = criterion(model(inputs.cuda(non_blocking=True)), targets.cuda(non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


    main(*prepared())
    ```

    ## Use instead
    ```python
    import torch
    from torch.nn.parallel import DistributedDataParallel
    from torch.utils.data import DataLoader, DistributedSampler
    from torchvision.datasets import ImageFolder


    def main(model, criterion, optimizer, device):
        model = DistributedDataParallel(model.cuda(), device_ids=[device])
        images = ImageFolder("data/train")
        loader = DataLoader(images, 64, sampler=DistributedSampler(images), num_workers=8, pin_memory=True)
        for inputs, targets in loader:
            loss = criterion(model(inputs.cuda(non_blocking=True)), targets.cuda(non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


    main(*prepared())
    ```

    `shuffle=True` and a sampler exclude each other: `DistributedSampler` shuffles by itself, and wants to be told the
    epoch. There is no fix, since the length of an epoch and of the learning rate's schedule change with it.

    ## Gain
    With the same seed in each process, as many times less work for an epoch as there are processes. Not measured
    here: it follows from what each process reads. It is nothing where each process reads files of its own.

    ## Confirmed by
    A hash of the first batch's indices that is the same on all ranks, and `len(loader)` that does not fall with the
    number of processes.

    ## References
    - `torch.utils.data.distributed.DistributedSampler`:
      https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.distributed.DistributedSampler
    - DDP tutorial, distributing input data:
      https://docs.pytorch.org/tutorials/beginner/ddp_series_multigpu.html#distributing-input-data
    """

    code = "TRN107"
    name = "distributed-sampler-missing"
    in_tests = True
    unless = (
        has_sampler,
        prepared,
        *not_alone(_trained),
        passes_use("a `DistributedSampler` is used on the way into the loop", _trained, FactKind.DISTRIBUTED_SAMPLER),
        speaks_of_ranks,
        is_made_up,
    )
    message = "every process trains on the whole dataset (loop at line {line})"
    help = "pass a `DistributedSampler` to the DataLoader"

    def found(self, site: Site) -> Match | None:
        """A loader that trains a model which is wrapped for several processes."""
        trained = _trained(site) if argument(site.call, "dataset", 0) is not None else []
        if not trained or not all(kinds_around(site.file, item) & _SEVERAL_PROCESSES for item in trained):
            return None
        in_sight = all(isinstance(node, ast.Call) for node in made_of(site))
        sure = Confidence.LIKELY if in_sight else Confidence.POSSIBLE
        return Match(site, sure, {"line": getattr(trained[0].node, "lineno", 0)})
