"""TRN108."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.analysis.tables.samplers import DISTRIBUTED_CALLS
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guard import early_guard
from trainlint.finding import Confidence, Severity
from trainlint_rules.data.idioms.passes import PassStart
from trainlint_rules.data.idioms.sampled_passes import (
    sampled_loader,
    sampled_passes,
)
from trainlint_rules.data.idioms.trained_passes import not_alone, passes_use


@early_guard
def _may_not_shuffle(site: Site) -> bool:
    """The sampler has `shuffle=False`, or a variable decides."""
    shuffle = argument(site.call, "shuffle", 3)
    return shuffle is not None and constant(shuffle) is not True


class SetEpochMissing(CallRule):
    """A shuffling DistributedSampler that is never told the epoch, so that each epoch has the same order

    ## Why
    All ranks must shuffle alike, so `DistributedSampler` shuffles by its seed and the epoch that it was told, and by
    nothing else. Without `set_epoch` that is epoch 0 for good: every epoch brings the same rows in the same order, in
    the same batches, to the same ranks. A rank never sees the rows of another, and gradients repeat their noise.
    Samplers that only evaluate, and programs of one epoch, need no `set_epoch`.

    ## Example
    ```python
    from torch.utils.data import DataLoader, DistributedSampler


    def main(model, criterion, optimizer, dataset, epochs):
        sampler = DistributedSampler(dataset)
        loader = DataLoader(dataset, 64, sampler=sampler, num_workers=8, pin_memory=True, persistent_workers=True)
        for epoch in range(epochs):
            for images, labels in loader:
                loss = criterion(model(images.cuda(non_blocking=True)), labels.cuda(non_blocking=True))
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


    if __name__ == "__main__":
        main(*prepared())
    ```

    ## Use instead
    ```python
    from torch.utils.data import DataLoader, DistributedSampler


    def main(model, criterion, optimizer, dataset, epochs):
        sampler = DistributedSampler(dataset)
        loader = DataLoader(dataset, 64, sampler=sampler, num_workers=8, pin_memory=True, persistent_workers=True)
        for epoch in range(epochs):
            sampler.set_epoch(epoch)
            for images, labels in loader:
                loss = criterion(model(images.cuda(non_blocking=True)), labels.cuda(non_blocking=True))
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


    if __name__ == "__main__":
        main(*prepared())
    ```

    The call must come before the loop over the loader begins, in every process.

    ## Gain
    The shuffling that was meant. What it does to the result depends on the data and on the number of epochs, and is
    not measured here; in a run of a single epoch it is nothing.

    ## Confirmed by
    A hash of the sampler's indices that is the same in each epoch.

    ## References
    - `torch.utils.data.distributed.DistributedSampler`:
      https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.distributed.DistributedSampler
    - The same, observed by its users: https://github.com/pytorch/pytorch/issues/31771
    """

    code = "TRN108"
    name = "set-epoch-missing"
    severity = Severity.ERROR
    in_tests = True
    on = DISTRIBUTED_CALLS
    unless = (
        _may_not_shuffle,
        *not_alone(sampled_passes),
        passes_use("`set_epoch` is called on the way into the loop", sampled_passes, FactKind.SET_EPOCH),
    )
    message = "nothing calls `set_epoch`: line {line} trains on the same order of batches in every epoch"
    help = "call the sampler's `set_epoch(epoch)` before each epoch"

    def found(self, site: Site) -> Match | None:
        """A sampler whose loader trains for several epochs."""
        loader, trained = sampled_loader(site) or (None, [])
        if loader is None:
            return None
        # A run of so many steps, which replaces exhausted iterators, may not finish its first epoch.
        by_epochs = all(item.start is PassStart.LOOP for item in trained)
        fields = {"line": getattr(trained[0].node, "lineno", 0), "loader": loader, "first": trained[0]}
        return Match(site, Confidence.CERTAIN if by_epochs else Confidence.POSSIBLE, fields)
