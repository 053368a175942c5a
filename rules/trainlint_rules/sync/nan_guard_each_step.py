"""TRN214."""

from __future__ import annotations

import ast

from trainlint.analysis.site import Site
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.analysis.tables.host_reads import ITEM
from trainlint.contract.bases import ReadRule
from trainlint.contract.confidence import level
from trainlint.contract.declared_rule import EACH_STEP, Match
from trainlint.contract.guard import guard
from trainlint.patterns import lazy
from trainlint.symptoms import Symptom
from trainlint_rules.sync.idioms.copies_to_host import host_reads
from trainlint_rules.sync.idioms.reads.advice import INSTEAD_OF_TEST
from trainlint_rules.sync.idioms.reads.decisions import Decision, decision, replaces_tested
from trainlint_rules.sync.idioms.reads.read_guards import decided_by_callers, in_progress_bar, waits_next
from trainlint_rules.sync.idioms.reads.read_purposes import Purpose, purpose

_SKIPPED = "let `GradScaler` skip such steps, or clear bad gradients on the GPU: `torch.nan_to_num(p.grad, out=p.grad)`"
_CLEARED = "clear bad gradients on the GPU after the backward pass: `torch.nan_to_num(p.grad, out=p.grad)`"
_MENDED = "replace bad values without a test: where there are none, `torch.nan_to_num` and `torch.where` change nothing"
_SELDOM = "check every N steps"
_INSTEAD = {
    Decision.MARKS: INSTEAD_OF_TEST[Decision.MARKS],
    Decision.ENDS: "check every N steps: the loop ends a few rounds later",
    Decision.CHECKS: "check every N steps: NaN weights stay NaN, so the error only comes later",
}
_SAVING = lazy(r"(^|_)(save|checkpoint)(_|$)")


def _help_text(site: Site, read: ast.AST) -> str | None:
    """Help by what the check decides: None for one that is in the test of no statement."""
    decided = decision(site, read)
    if decided is None or decided in _INSTEAD:
        return _INSTEAD.get(decided) if decided is not None else None
    if isinstance(site.statement, ast.If) and replaces_tested(site.statement):
        return _MENDED
    if decided in (Decision.SKIPS, Decision.UPDATES):
        scales = any(fact.kind is FactKind.GRAD_SCALER for facts in site.file.facts.values() for fact in facts)
        return _SKIPPED if scales else _CLEARED
    return _SELDOM


@guard
def _saves(site: Site) -> bool:
    """The function saves checkpoints, which does not happen in every step."""
    return site.function is not None and _SAVING.search(site.function.name) is not None


class NanGuardEachStep(ReadRule):
    """A test for NaN or infinity that reads a device tensor in each training step

    ## Why
    `if torch.isnan(loss).any()`, `assert torch.isfinite(x).all()` and `math.isnan(loss)` ask the device for an answer
    and wait for it. Asked in each step, the device runs dry in each step, for something that happens seldom or never.

    ## Example
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader, device):
        for inputs, targets in train_loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            if not torch.isfinite(loss):
                raise FloatingPointError("the loss is not finite")
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader, device):
        for step, (inputs, targets) in enumerate(train_loader):
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            if step % 50 == 0 and not torch.isfinite(loss):
                raise FloatingPointError("the loss is not finite")
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    A NaN in the weights does not go away, so a later check still finds it; load the last checkpoint then. To leave out
    a bad step instead, let the device choose (`torch.where`, `nan_to_num`): GradScaler already skips steps whose
    gradients are not finite.

    ## Confirmed by
    `trainlint probe` counts the reads at this line, and tells from a trace of a GPU what a step gains without
    them. `aten::_local_scalar_dense` with a stream synchronisation at this line in each step of a profile, and device
    idle time right after it.

    ## Gain
    One wait for the device in each step; what it costs depends on how far the host was ahead. Not measured here.
    Nothing is gained where the same step reads the loss in any case, as for a log line.

    ## References
    - PyTorch performance tuning guide, "Avoid unnecessary CPU-GPU synchronization":
      https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    - `torch.amp.GradScaler`, which skips steps with gradients that are not finite:
      https://docs.pytorch.org/docs/stable/amp.html#gradient-scaling
    """

    code = "TRN214"
    name = "nan-guard-each-step"
    happenings = frozenset()
    confirmed_by = frozenset({Symptom.HOST_SYNC})
    on = (f".{ITEM.name}",)
    when = EACH_STEP
    unless = (decided_by_callers, in_progress_bar, _saves, waits_next)
    message = "the NaN check `{check}` forces a GPU sync{often}"
    help = "check every N steps, or replace bad values on the GPU with `torch.where`"

    def found(self, site: Site) -> Match | None:
        """The first read of a device tensor, where it asks for NaN or infinity."""
        node, sure = next(host_reads(site, self.on), (site.node, 0.0))
        asks = bool(sure) and purpose(site.file, node, site.block, site.statement) is Purpose.NAN_GUARD
        check = site.text(site.node if isinstance(site.node, ast.Call) else node)
        instead = _help_text(site, node)
        return Match(site.at(node), level(sure), {"check": check}, help=instead) if asks else None
