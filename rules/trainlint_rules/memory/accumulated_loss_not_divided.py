"""TRN307."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trainlint.analysis.effects.accumulation import accumulation
from trainlint.analysis.site import Site
from trainlint.contract.bases import LoopRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Confidence, LoopKind
from trainlint_rules.memory.idioms.divided_losses import (
    count_is_used,
    divided_by_engine,
    divided_otherwise,
    loss_of,
    scaled,
)

if TYPE_CHECKING:
    pass


class AccumulatedLossNotDivided(LoopRule):
    """Gradients of several batches are added up, and no loss is divided by their number

    ## Why
    Backward adds to the gradients that are there. Where `n` batches make one step and each loss is the mean over its
    batch, the sum of their gradients is `n` times that of the mean over all of them. So the step is not that of a
    batch `n` times as large: with plain SGD it is one with `n` times the learning rate; with Adam the size of the
    step survives, but clipping to a norm bites `n` times as hard, and epsilon and an added weight decay weigh `n`
    times less.

    ## Example
    ```python
    def train(model, criterion, optimizer, loader, device, accumulation_steps):
        for step, (inputs, targets) in enumerate(loader):
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            loss.backward()
            if (step + 1) % accumulation_steps == 0:
                optimizer.step()
                optimizer.zero_grad()
    ```

    ## Use instead
    ```python
    def train(model, criterion, optimizer, loader, device, accumulation_steps):
        for step, (inputs, targets) in enumerate(loader):
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            (loss / accumulation_steps).backward()
            if (step + 1) % accumulation_steps == 0:
                optimizer.step()
                optimizer.zero_grad()
    ```

    Batches of different lengths, as of tokens, want more: each loss summed, and the gradients divided once by the
    number of tokens in all of them.

    ## Confirmed by
    The norm of the gradients before the step is about `n` times that after one batch, where batches agree.

    ## Gain
    No time: what is gained is that the number of batches no longer changes the training. Hugging Face and PyTorch
    document the division; what the defect costs in quality was not measured here, and with Adam and no clipping it
    is close to nothing.

    ## References
    - Gradient accumulation in the automatic mixed precision examples:
      https://docs.pytorch.org/docs/stable/notes/amp_examples.html#gradient-accumulation
    - Gradient accumulation with Accelerate: https://huggingface.co/docs/accelerate/usage_guides/gradient_accumulation
    """

    code = "TRN307"
    name = "accumulated-loss-not-divided"
    preview = True
    in_tests = True
    sure = Confidence.LIKELY
    unless = (divided_otherwise, divided_by_engine, count_is_used, scaled)
    message = "the gradients of `{count}` batches are added, not averaged: they are `{count}` times too large"
    help = "divide the loss by `{count}`"

    def found(self, site: Site) -> Iterator[Match]:
        """The backward passes of a loop over batches that takes a step after each n-th."""
        is_over_batches = site.file.heats.kind(site.loop) is LoopKind.STEP
        accumulated = accumulation(site.file, site.loop) if is_over_batches else None
        if accumulated is not None and accumulated.count:
            for place in accumulated.backwards:
                yield Match(Site(site.file, place), fields={"count": accumulated.count, "loss": loss_of(place)})
