"""TRN525."""

from __future__ import annotations

from collections.abc import Iterable

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import has_unpacked_arguments
from trainlint.analysis.tables.clipping import CLIP_GRAD_NORM
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Edit, Safety, Severity
from trainlint_rules.distributed.idioms.wrapping.clipped_models import clipped_model, may_be_whole, not_surely_sharded


class FsdpClippedLocally(CallRule):
    """Gradients of a FullyShardedDataParallel model clipped by the norm of the local piece

    ## Why
    Each process holds a piece of the gradients, and `torch.nn.utils.clip_grad_norm_` knows nothing of the others: it
    takes the norm of the piece for that of the whole. The norm is too small, so clipping comes too late and too weak,
    and each process scales its piece by another factor: the update points in another direction than the gradient. The
    model's own method sums the norms over all processes first.

    `fully_shard` makes DTensors, which know of all pieces, and `clip_grad_value_` looks at each number by itself: both
    are fine.

    ## Example
    ```python
    import torch
    from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


    def train(model, policy, criterion, loader):
        model = FSDP(model, auto_wrap_policy=policy)
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
        for inputs, targets in loader:
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch
    from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


    def train(model, policy, criterion, loader):
        model = FSDP(model, auto_wrap_policy=policy)
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
        for inputs, targets in loader:
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            model.clip_grad_norm_(1.0)
            optimizer.step()
    ```

    ## Fix safety
    Gradients are clipped by their true norm, so runs go another way than before: that is the point of it.

    ## Confirmed by
    `clip_grad_norm_` returns another norm on each rank, smaller than that of the same model on one device.

    ## Gain
    Training that clips as configured, and the same for any number of devices. For two linear
    layers in two processes, on the CPU with PyTorch 2.13, the local norms were 52.9 and 48.2, and that of the whole
    71.5. No time is gained.

    ## References
    - `FullyShardedDataParallel.clip_grad_norm_`:
      https://docs.pytorch.org/docs/stable/fsdp.html#torch.distributed.fsdp.FullyShardedDataParallel.clip_grad_norm_
    """

    code = "TRN525"
    name = "fsdp-clipped-locally"
    severity = Severity.ERROR
    preview = True
    on = CLIP_GRAD_NORM.origins
    in_tests = True
    unless = (not_surely_sharded, may_be_whole)
    message = "`clip_grad_norm_` sees only this rank's shard of `{model}`: every rank clips by another norm"
    help = "call `{model}.clip_grad_norm_(...)`"
    fix_title = "Clip by the norm of the whole"
    fix_safety = Safety.UNSAFE
    fix_needs = (1, 12)
    fix_drops = frozenset({"parameters"})

    def found(self, site: Site) -> Match | None:
        """The clipping function of plain modules on the parameters of a model."""
        model = clipped_model(site)
        return Match(site, fields={"model": site.text(model)}) if model is not None else None

    def edits(self, site: Site, match: Match) -> Iterable[Edit]:
        """The model's own method, which takes the same arguments but for the parameters."""
        import libcst as cst

        from trainlint.fixing.rewrite import expression, replace_expression

        call = site.call
        named = {keyword.arg for keyword in call.keywords}
        old = expression(site.source, call)
        if (
            not has_unpacked_arguments(call)
            and len(call.args) <= 3
            and named <= {"parameters", "max_norm", "norm_type"}
        ):
            assert isinstance(old, cst.Call)
            method = cst.parse_expression(f"{match['model']}.clip_grad_norm_")
            args = [item for item in old.args if item.keyword is None or item.keyword.value != "parameters"]
            new = old.with_changes(func=method, args=args[1:] if len(args) == len(old.args) else args)
            yield replace_expression(site.source, call, new)
