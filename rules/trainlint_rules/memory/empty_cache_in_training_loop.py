"""TRN301."""

from __future__ import annotations

from collections.abc import Iterable

from trainlint.analysis.effects.removable_calls import removable
from trainlint.analysis.site import Site
from trainlint.contract.declared_rule import Match
from trainlint.contract.operation_rule import OperationRule
from trainlint.finding import Edit, Safety
from trainlint.interpreter.machine.events import Happening
from trainlint.symptoms import Symptom
from trainlint_rules.memory.idioms.deliberate_emptying import (
    before_retry,
)


class EmptyCacheInTrainingLoop(OperationRule):
    """`empty_cache()` in each step gives away memory that the next step asks for again

    ## Why
    PyTorch keeps freed GPU memory in its own cache, where the next allocation finds it within microseconds.
    `empty_cache()` waits for the GPU, hands the cached blocks back to the driver and makes the next step
    allocate them anew; each of these driver calls waits for the GPU again. It gives a model no more memory to
    live in: what PyTorch has cached, PyTorch can use.

    ## Example
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader, device):
        for inputs, targets in train_loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            torch.cuda.empty_cache()
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader, device):
        for inputs, targets in train_loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    Where the cache splinters, because batches differ in size, set
    `PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True` before the program starts.

    ## Fix safety
    The fix removes the call. A program that just fits, because another process or library uses the same GPU,
    may run out of memory without it. There is no fix in a function that does nothing else than give memory back, right
    behind a `del`, and below a comment, which may say what the call is for.

    ## Confirmed by
    `trainlint probe` times the call at this line. `num_device_alloc` and `num_device_free` of
    `torch.cuda.memory_stats()` grow in each step, and `reserved_bytes.all.current` is a saw-tooth.

    ## Gain
    Documentation of the Hugging Face Trainer speaks of about 10% for emptying the cache often
    (`torch_empty_cache_steps`). Nothing where the cache is empty anyway. Not measured here.

    ## References
    - Memory management: https://docs.pytorch.org/docs/stable/notes/cuda.html#memory-management
    - `torch.cuda.memory.empty_cache`:
      https://docs.pytorch.org/docs/stable/generated/torch.cuda.memory.empty_cache.html
    """

    code = "TRN301"
    name = "empty-cache-in-training-loop"
    happenings = frozenset({Happening.EMPTY_CACHE})
    confirmed_by = frozenset({Symptom.CACHE_EMPTIED})
    unless = (before_retry,)
    message = "`{text}` forces a GPU sync and frees memory that is allocated again{often}"
    help = "remove it"
    fix_title = "Remove the call"
    fix_safety = Safety.UNSAFE

    def edits(self, site: Site, match: Match) -> Iterable[Edit]:
        """Removes the call where it is a statement, and more than what a helper is for."""
        from trainlint.fixing.rewrite import remove_statement

        statement = removable(site.file, site.place)
        return remove_statement(site.source, statement) if statement is not None else ()
