"""TRN211."""

from __future__ import annotations

import ast

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name, nodes_in
from trainlint.analysis.syntax.uses import enclosing_nodes
from trainlint.analysis.tables.waits.number_arguments import WANTED
from trainlint.contract.bases import ReadRule
from trainlint.contract.confidence import level
from trainlint.contract.declared_rule import EACH_STEP, Match
from trainlint.contract.guard import guard
from trainlint.symptoms import Symptom
from trainlint_rules.sync.idioms.copies_to_host import READING, host_reads
from trainlint_rules.sync.idioms.reads.read_guards import decided_by_callers, says_whether_to_wait
from trainlint_rules.sync.idioms.reads.read_purposes import loop_of_read, reads_each_parameter
from trainlint_rules.sync.idioms.reads.value_uses import ValueUse, use_of_value


@guard
def _of_state_dict(site: Site) -> bool:
    """The loop goes through a state dict, whose entries are copied to be saved."""
    return not reads_each_parameter(site.file, site.node, site.block, site.statement)


_NORM = "keep the numbers on the GPU and read one result; `clip_grad_norm_` returns the norm of all gradients"
_LOGGED = "log it every N steps"
_COMPARED = "compare on the GPU: `x.clamp(min=...)` or `x.clamp(max=...)` gives a tensor and does not wait"
_DECIDED = "decide on the GPU, with `torch.where`; `torch._foreach_norm` gives the norms of a list of tensors"
_MULTIPLIED = "multiply by the tensor, as in `a.add_(b * factor)`: tensors as numbers are read on the host"
_LOOP = "once for each of these"


class SyncPerParameter(ReadRule):
    """A number read on the host for each parameter or gradient in each training step

    ## Why
    A loop over the parameters that reads a norm, a sum or a truth value of each one waits for the device as often as
    the model has parameters: some 150 times a step for a ResNet-50, several hundred times for a transformer. Between
    two waits the device computes one small reduction and idles.

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
            squares = 0.0
            for parameter in model.parameters():
                squares += parameter.grad.norm().item() ** 2
            optimizer.step()
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
            norm = torch.nn.utils.clip_grad_norm_(model.parameters(), float("inf"))
            optimizer.step()
    ```

    `clip_grad_norm_` returns the norm of all gradients as one tensor, and with an infinite bound it clips nothing.
    For anything else, collect the results on the device (`torch._foreach_norm`, `torch.stack`) and read them once,
    every n-th step.

    ## Confirmed by
    `trainlint probe` counts the reads at this line, and tells from a trace of a GPU what a step gains without
    them. As many stream synchronisations at this line in each step of a profile as the model has parameters.

    ## Gain
    All but one of these waits in each step. What one costs depends on how far the host was ahead; not measured here.
    Nothing is gained where the loop runs behind an interval, or where the parameters are on the host.

    ## References
    - `torch.nn.utils.clip_grad_norm_`:
      https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_norm_.html
    - PyTorch performance tuning guide, "Avoid unnecessary CPU-GPU synchronization":
      https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    """

    code = "TRN211"
    name = "sync-per-parameter"
    happenings = frozenset()
    confirmed_by = frozenset({Symptom.HOST_SYNC})
    on = (*READING, *WANTED)
    when = EACH_STEP
    unless = (decided_by_callers, says_whether_to_wait, _of_state_dict)
    message = "`{text}` forces a GPU sync for each parameter{often}"
    help = "keep the numbers on the GPU and read one result"

    def found(self, site: Site) -> Match | None:
        """The first read of a device tensor, in a loop over parameters."""
        for node, sure in host_reads(site, READING):
            loop = loop_of_read(site.file, node, site.block, site.statement)
            if loop is not None:
                head = loop.block.node
                far = isinstance(head, ast.For) and head.lineno < site.statement.lineno
                related = (site.related(head.iter, _LOOP),) if far and isinstance(head, ast.For) else ()
                return Match(site.at(node), level(sure), help=_help_text(site, node), related=related)
        return None


def _help_text(site: Site, read: ast.AST) -> str | None:
    """Help by what is read: a number to log, a gradient's norm, or what is only compared; None for the rest."""
    if use_of_value(site, read) is ValueUse.TEXT:
        return _LOGGED
    names = {part.attr for part in nodes_in(site.statement) if isinstance(part, ast.Attribute)}
    if "grad" in names and "norm" in names:
        return _NORM
    if isinstance(site.node, ast.Call) and any(item.value is read for item in site.node.keywords):
        return _MULTIPLIED
    holders = (read, *enclosing_nodes(site.file, read, site.statement))
    compared = any(isinstance(part, ast.Call) and last_name(part.func) in ("max", "min") for part in holders)
    if compared:
        return _COMPARED
    ends = any(isinstance(part, ast.Return | ast.Raise | ast.Break) for part in nodes_in(site.statement))
    return _DECIDED if isinstance(site.statement, ast.If) and not ends else None
