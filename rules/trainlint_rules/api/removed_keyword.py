"""TRN814."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainlint.analysis.programs.named_calls import called
from trainlint.analysis.site import Site
from trainlint.analysis.tables.loaders import DATALOADER
from trainlint.analysis.tables.optimizers import SCHEDULER_MODULE
from trainlint.contract.bases import ReferenceRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.conditions import decided_by_version
from trainlint.finding import Edit, Safety, Severity
from trainlint.symptoms import Symptom
from trainlint_rules.api.idioms.guards import sure_if_warned
from trainlint_rules.api.idioms.old_arguments import old_arguments


class RemovedKeyword(ReferenceRule):
    """An argument that PyTorch refuses, ignores or is about to

    ## Why
    PyTorch 2.7 took `verbose` from all learning rate schedulers: `ReduceLROnPlateau(..., verbose=True)`, written in
    many a tutorial, ends the program with a TypeError, and so does a scheduler of your own that hands `verbose` on to
    `super().__init__`. PyTorch 2.14 took `use_cuda` from the profilers. Others still work and warn: `size_average` and
    `reduce` of the losses, `check_reduction` of DistributedDataParallel, `return_complex=False` of `torch.stft`.
    Arguments count that a version of PyTorch which the project supports deprecates. Schedulers of other packages may
    have a `verbose` of their own, and some values never warn, as in `torch.autograd.grad(..., only_inputs=True)`.

    By default it is reported only where the project states a PyTorch that warns of it, or that lacks it
    ([`target-torch`](../configuration.md#target-torch)); elsewhere it is possible.

    ## Example
    ```python
    import torch
    from torch.optim.lr_scheduler import ReduceLROnPlateau


    def build(optimizer):
        criterion = torch.nn.MSELoss(size_average=False)
        return criterion, ReduceLROnPlateau(optimizer, patience=5, verbose=False)
    ```

    ## Use instead
    ```python
    import torch
    from torch.optim.lr_scheduler import ReduceLROnPlateau


    def build(optimizer):
        criterion = torch.nn.MSELoss(reduction="sum")
        return criterion, ReduceLROnPlateau(optimizer, patience=5)
    ```

    The fix is `UNSAFE` where the value is no literal, where other arguments are given by position that the new one may
    stand for, and for `verbose=True` where the project's PyTorch still prints by it.

    Where `verbose` printed what you want to see, print `scheduler.get_last_lr()` after each `scheduler.step()`.

    ## Confirmed by
    `trainlint probe` notes PyTorch's warning at this line that names the argument, where there is one. Else a
    TypeError, "unexpected keyword argument".

    ## Gain
    A program that runs on new versions of PyTorch; none in speed.

    ## References
    - `ReduceLROnPlateau`: https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.ReduceLROnPlateau.html
    - `torch.nn.MSELoss`: https://docs.pytorch.org/docs/stable/generated/torch.nn.MSELoss.html
    - Release notes of PyTorch 2.7: https://github.com/pytorch/pytorch/releases/tag/v2.7.0
    """

    code = "TRN814"
    name = "removed-keyword"
    editor_tag = "deprecated"
    severity = Severity.ERROR
    confirmed_by = frozenset({Symptom.WARNING})
    warned_as = "deprecated"
    on = (
        SCHEDULER_MODULE,
        "torch.nn",
        "torch.autograd",
        "torch.profiler.profile",
        "torch.stft",
        *DATALOADER,
    )
    in_tests = True
    unless = (decided_by_version,)
    message = "{given.fact}"
    help = "{given.instead}"
    fix_title = "{given.title}"
    fix_safety = Safety.SAFE

    def found(self, site: Site) -> Iterator[Match]:
        """An old argument that is written out."""
        there = called(site)
        for given in old_arguments(there) if there is not None else ():
            sure = sure_if_warned(site, given.row.since, given.row.removed)
            severity = Severity.ERROR if given.removed else Severity.WARNING
            yield Match(
                given.site, sure, {"given": given}, severity=severity, fix_needs=given.needs, fix_safety=given.safety
            )

    def edits(self, site: Site, match: Match) -> Iterable[Edit]:
        """The same without the old argument, or with the new one."""
        return match["given"].edits() if "given" in match.fields else ()
