"""TRN505."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Confidence, Heat
from trainlint.symptoms import Symptom
from trainlint_rules.distributed.idioms.collectives.barriers import (
    in_training_loop,
    is_barrier,
    reached_in_step,
)


class BarrierInStep(CallRule):
    """A barrier in each training step, or one before a collective that waits for all ranks anyhow

    ## Why
    On NCCL a barrier is an `all_reduce` of one number after which the CPU waits for the GPU. In every step it makes
    all ranks wait for the slowest, empties the queue of kernels, and lets the GPU idle until new ones arrive. The
    reduction of gradients brings the ranks together in each step already. Before a collective such as `all_reduce` a
    barrier adds nothing: no rank leaves that before all have come. Before a `broadcast`, which some ranks leave early,
    it does, and so it does at checkpoints, around set-up and downloads, and at the end of an epoch.

    ## Example
    ```python
    import torch.distributed as dist


    def train(model, optimizer, loader):
        for batch in loader:
            loss = model(batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            dist.barrier()
    ```

    ## Use instead
    ```python
    import torch.distributed as dist


    def train(model, optimizer, loader):
        for batch in loader:
            loss = model(batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Confirmed by
    `trainlint probe` times the barrier at this line. Part of it is the wait for the slowest rank, which may move to the
    next collective. `nccl:all_reduce_barrier` in each step of a profile, followed by a wait of the CPU.

    ## Gain
    The launch queue stays full; in steps that the CPU prepares slowly, up to the time of that. Not measured here, and
    nothing with one process, or where another wait for the GPU follows in each step.

    ## References
    - `torch.distributed.barrier`: https://docs.pytorch.org/docs/stable/distributed.html#torch.distributed.barrier
    - What it does on NCCL, in `ProcessGroupNCCL::barrier`:
      https://github.com/pytorch/pytorch/blob/main/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp
    """

    code = "TRN505"
    name = "barrier-in-step"
    preview = True
    confirmed_by = frozenset({Symptom.COLLECTIVE})
    on = ("barrier", "wait_for_everyone")
    when = dict.fromkeys(set(Heat) - {Heat.ONCE, Heat.RARE}, Confidence.CERTAIN)
    sure = Confidence.LIKELY
    message = "`{text}` forces a GPU sync and makes all ranks wait for the slowest{often}"
    help = "remove it: the reduction of gradients brings the ranks together in each step"

    def found(self, site: Site) -> Match | None:
        """A barrier in each step, or one that the next collective makes superfluous."""
        if not is_barrier(site):
            return None
        return Match(site) if in_training_loop(site) or reached_in_step(site) else None
