"""TRN510."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.analysis.effects.accumulation import Accumulation, accumulation
from trainlint.analysis.programs.fact_names import ACCELERATOR
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom

_ENGINE = lazy(r"engine|booster|(^|_)(model|net|network|manual)(_|$)", re.IGNORECASE)
"""What has a `backward` of its own that decides when gradients are reduced: engines of DeepSpeed and its kin."""
_TOGGLED = lazy(r"grad(ient)?_sync|no_sync|no_backward_sync|(disable|skip|delay|enable)_all_?reduce", re.IGNORECASE)
"""Words of code that decides when gradients are reduced; `disable_allreduce` is that of apex."""
_OTHER_OWNERS = frozenset({"deepspeed", "lightning", "colossalai", "transformers", "mmengine", "horovod", "composer"})


class AccumulationWithoutNoSync(Rule):
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

    ## Stays silent
    Where `no_sync`, `accumulate`, `set_requires_gradient_sync` or `require_backward_grad_sync` is spoken of around the
    loop; where DeepSpeed, Lightning or another framework reduces; where no DistributedDataParallel is in sight; with
    FSDP, where `no_sync` keeps whole gradients on every device and may not fit.

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
    severity = Severity.WARNING
    heat_matters = False
    confirmed_by = frozenset({Symptom.REDUCED_TOO_EARLY})
    triggers = Triggers(loops=True)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find backward passes that add up under DDP while each of them reduces."""
        loop = site.file.outline.loop_blocks.get(site.node)
        if loop is None or is_test_path(site.path):
            return
        found = accumulation(site.file, loop)
        if found is None or any(_reduces_itself(place.node) for place in found.backwards):
            return
        by_accelerate = any(_by_accelerate(place.node) for place in found.backwards)
        if not _reduced_by_ddp(site, found, by_accelerate=by_accelerate) or _spoken_of(site, found):
            return
        backward = found.backwards[0]
        often = f"`{found.count}`" if found.count else "several"
        cure = (
            "write `with accelerator.accumulate(model):` around the batch"
            if by_accelerate
            else "run forward and backward of all but the last inside `no_sync()`"
        )
        yield self.finding(
            site.at(backward.node, backward.block),
            f"gradients of {often} batches make one step, and this backward sends all of them over the network after "
            f"each one; {cure}",
            confidence=0.85 if found.count else 0.75,
        )


def _receiver(node: ast.AST) -> str:
    """The name of what has the `backward` that is called; empty for a loss that is a call's result."""
    return last_name(node.func.value) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""


def _by_accelerate(node: ast.AST) -> bool:
    return bool(ACCELERATOR.search(_receiver(node)))


def _reduces_itself(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and bool(node.args) and bool(_ENGINE.search(_receiver(node)))


def _reduced_by_ddp(site: Site, found: Accumulation, *, by_accelerate: bool) -> bool:
    """Whether DistributedDataParallel, or Accelerate with it, reduces the gradients, and nothing else does."""
    around = site.file.used_around(found.loop, beside=True)
    if by_accelerate:
        # What the framework itself can do is no fact of the script, should both be judged together.
        return not any(item.fact.kind is FactKind.FSDP and item.path == site.path for item in around)
    kinds = {item.fact.kind for item in around}
    owners = {item.fact.detail for item in around if item.fact.kind in (FactKind.FRAMEWORK, FactKind.DISTRIBUTED)}
    return FactKind.DDP in kinds and FactKind.FSDP not in kinds and owners.isdisjoint(_OTHER_OWNERS)


def _spoken_of(site: Site, found: Accumulation) -> bool:
    """Whether some code around the loop decides when gradients are reduced."""
    if any(item.fact.kind is FactKind.NO_SYNC for item in site.file.used_around(found.loop)):
        return True
    function = site.file.graph.enclosing(found.loop)
    return bool(_TOGGLED.search(ast.unparse(function.node) if function is not None else site.source.text))
