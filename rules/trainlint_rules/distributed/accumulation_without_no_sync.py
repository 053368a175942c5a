"""TRN510."""

from __future__ import annotations

from trainlint.analysis.effects.accumulation import accumulation
from trainlint.analysis.site import Site
from trainlint.contract.bases import LoopRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Confidence
from trainlint.symptoms import Symptom
from trainlint_rules.distributed.idioms.wrapping.gradient_reduction import (
    backwards_around,
    by_accelerate,
    decides_when_to_reduce,
    framework_reduces,
    sharded,
    wrapped_in_ddp,
)

_HELP_WITH_ACCELERATE = "write `with accelerator.accumulate(model):` around the batch"


class AccumulationWithoutNoSync(LoopRule):
    """Gradients of several batches are added up, and DDP reduces them after each one

    ## Why
    DistributedDataParallel sums gradients over all processes in every backward pass. Where `n` batches make one step,
    only the last sum is needed: the others send the whole gradient `n - 1` times for nothing. Inside `no_sync()`,
    forward and backward add up gradients locally. On two machines, Hugging Face measured 0.91 instead of 2.0 s a
    batch; on one machine with two GPUs 0.41 instead of 0.50 s.

    ## Example
    ```python
    from torch.nn.parallel import DistributedDataParallel


    def main(network, criterion, optimizer, loader, device, accumulate):
        model = DistributedDataParallel(network, device_ids=[device])
        for step, (inputs, targets) in enumerate(loader):
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets) / accumulate
            loss.backward()
            if (step + 1) % accumulate == 0:
                optimizer.step()
                optimizer.zero_grad()
    ```

    ## Use instead
    ```python
    from contextlib import nullcontext

    from torch.nn.parallel import DistributedDataParallel


    def main(network, criterion, optimizer, loader, device, accumulate):
        model = DistributedDataParallel(network, device_ids=[device])
        for step, (inputs, targets) in enumerate(loader):
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            is_last = (step + 1) % accumulate == 0
            with nullcontext() if is_last else model.no_sync():
                loss = criterion(model(inputs), targets) / accumulate
                loss.backward()
            if is_last:
                optimizer.step()
                optimizer.zero_grad()
    ```

    The forward belongs inside: DDP decides there whether the backward reduces. With Accelerate, write
    `with accelerator.accumulate(model):` around the batch, and take the step each time: it does nothing in between.

    ## Confirmed by
    `trainlint probe` counts the backwards at this line that reduce gradients before the last one of a step, and
    takes from DistributedDataParallel's own clock how long a backward communicates beyond its computation.

    ## Gain
    Up to half of the time of a batch where communication is slow (2.0 → 0.91 s on two machines, Accelerate's guide
    below); 15-20% on one machine. Nothing with one batch a step, with one process, or where communication hides behind
    the backward.

    ## References
    - `DistributedDataParallel.no_sync`:
      https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html
    - Gradient synchronization, with the measurements:
      https://huggingface.co/docs/accelerate/concept_guides/gradient_synchronization
    """

    code = "TRN510"
    name = "accumulation-without-no-sync"
    confirmed_by = frozenset({Symptom.REDUCED_TOO_EARLY})
    sure = Confidence.LIKELY
    unless = (framework_reduces, sharded, decides_when_to_reduce)
    message = "DDP sends gradients after each of {count} batches, though one optimizer step uses them all"
    help = "run forward and backward of all but the last batch inside `model.no_sync()`"

    def found(self, site: Site) -> Match | None:
        """Backward passes that add up under DDP while each of them reduces."""
        added_up = accumulation(site.file, site.loop)
        if added_up is None:
            return None
        place = added_up.backwards[0]
        backward = site.at(place.node, place.block)
        accelerated = by_accelerate(backwards_around(backward))
        if not accelerated and not wrapped_in_ddp(backward):
            return None
        fields = {"count": f"`{added_up.count}`" if added_up.count else "several"}
        return Match(backward, fields=fields, help=_HELP_WITH_ACCELERATE if accelerated else None)
