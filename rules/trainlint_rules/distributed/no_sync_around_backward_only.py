"""TRN523."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint_rules.distributed.idioms.wrapping.no_sync_blocks import (
    called_inside,
    may_run_model,
    of_something_else,
    reads_switch_in_backward,
)


class NoSyncAroundBackwardOnly(CallRule):
    """`no_sync()` around the backward alone: DDP has decided in the forward that it reduces

    ## Why
    DistributedDataParallel prepares the reduction of gradients in its forward. `no_sync()` is a switch that the
    forward reads: around the backward alone it changes nothing, and all gradients go over the network for each batch
    of an accumulation. Hugging Face measured 2.13 s a batch with `no_sync` misplaced, 2.0 s without it and 0.91 s
    where it was right, on two machines.

    ## Example
    ```python
    from torch.nn.parallel import DistributedDataParallel


    def train(network, criterion, optimizer, batches, device, accumulate):
        model = DistributedDataParallel(network, device_ids=[device])
        for index in range(accumulate):
            inputs, targets = next(batches)
            loss = criterion(model(inputs), targets) / accumulate
            if index < accumulate - 1:
                with model.no_sync():
                    loss.backward()
            else:
                loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    ```

    ## Use instead
    ```python
    from contextlib import nullcontext

    from torch.nn.parallel import DistributedDataParallel


    def train(network, criterion, optimizer, batches, device, accumulate):
        model = DistributedDataParallel(network, device_ids=[device])
        for index in range(accumulate):
            inputs, targets = next(batches)
            with model.no_sync() if index < accumulate - 1 else nullcontext():
                loss = criterion(model(inputs), targets) / accumulate
                loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    ```

    ## Confirmed by
    As many all-reduces of each gradient bucket between two steps of the optimizer as there are backward passes.

    ## Gain
    That of `no_sync` itself: 2.13 → 0.91 s a batch on two machines (Accelerate's guide below). Nothing with one
    process.

    ## References
    - `DistributedDataParallel.no_sync`, whose warning says that the forward belongs inside:
      https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html
    - Gradient synchronization, with the measurements:
      https://huggingface.co/docs/accelerate/concept_guides/gradient_synchronization
    """

    code = "TRN523"
    name = "no-sync-around-backward-only"
    on = (".no_sync",)
    unless = (may_run_model, reads_switch_in_backward, of_something_else)
    message = "`no_sync()` around the backward alone has no effect: DDP reads it in the forward"
    help = "move the forward into the `with` block"

    def found(self, site: Site) -> Match | None:
        """A backward in the `with` block of `no_sync`."""
        return Match(site) if "backward" in called_inside(site) else None
