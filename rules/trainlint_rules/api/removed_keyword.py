"""TRN814."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from trainlint.analysis.conditions.alternatives import depends_on_version
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant
from trainlint.analysis.syntax.uses import call_of
from trainlint.analysis.tables.deprecated_arguments import ARGUMENTS, OldArgument
from trainlint.analysis.tables.loaders import DATALOADER
from trainlint.analysis.tables.optimizers import SCHEDULER_BASE_ORIGINS, SCHEDULER_MODULE
from trainlint.finding import Finding, Fix, Safety, Severity
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom

_PARTS = (
    SCHEDULER_MODULE,
    "torch.nn",
    "torch.autograd",
    "torch.profiler.profile",
    *DATALOADER.torch_origins,
)
"""Where the functions of the table stand."""
_REMOVED = (2, 7)
"""The first version whose schedulers refuse `verbose`."""


class RemovedKeyword(Rule):
    """An argument that PyTorch refuses, ignores or is about to

    ## Why
    PyTorch 2.7 took `verbose` from all learning rate schedulers: `ReduceLROnPlateau(..., verbose=True)`, written in
    many a tutorial, ends the program with a TypeError, and so does a scheduler of your own that hands `verbose` on to
    `super().__init__`. PyTorch 2.14 took `use_cuda` from the profilers. Others still work and warn: `size_average` and
    `reduce` of the losses, `check_reduction` of DistributedDataParallel.

    ## Example
    ```python
    import torch
    from torch.optim.lr_scheduler import ReduceLROnPlateau


    def build(optimizer):
        criterion = torch.nn.MSELoss(size_average=False)
        return criterion, ReduceLROnPlateau(optimizer, patience=5, verbose=True)
    ```

    ## Use instead
    ```python
    import torch
    from torch.optim.lr_scheduler import ReduceLROnPlateau


    def build(optimizer):
        criterion = torch.nn.MSELoss(reduction="sum")
        return criterion, ReduceLROnPlateau(optimizer, patience=5)
    ```

    Where `verbose` printed what you want to see, print `scheduler.get_last_lr()` after each `scheduler.step()`.

    ## Stays silent
    For schedulers of other packages, which may have a `verbose` of their own; for values that do not warn, as in
    `torch.autograd.grad(..., only_inputs=True)`; where a version decides; and where no version that the project targets
    deprecates the argument.

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
    severity = Severity.ERROR
    fix_safety = Safety.SAFE
    heat_matters = False
    confirmed_by = frozenset({Symptom.WARNING})
    warned_as = "deprecated"
    triggers = Triggers(references=_PARTS, calls=frozenset({"__init__"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find calls by an old argument, written out."""
        if isinstance(site.node, ast.Call):
            yield from self._handed_on(site, site.node)
        elif isinstance(site.node, ast.expr) and not depends_on_version(site.block):
            origin = site.origin(site.node)
            rows = [row for row in ARGUMENTS if origin is not None and row.function.fullmatch(origin)]
            call = _call(site) if rows else None
            for row in rows if call is not None else ():
                assert call is not None
                yield from self._given(site, call, row)

    def _given(self, site: Site, call: ast.Call, row: OldArgument) -> Iterator[Finding]:
        removed = _reached(site, row.removed)
        if not _passes(call, row) or not (removed or _reached(site, row.since)):
            return
        target = site.file.config.target_torch
        yield self.finding(
            site,
            _message(call, row, removed=removed),
            at=call,
            confidence=0.8 if row.young and (target is None or target.minimum is None) else 0.95,
            severity=self.severity if removed else Severity.WARNING,
            fix=partial(_fix, site, call, row),
            fix_needs=row.since if row.renamed or row.young else None,
        )

    def _handed_on(self, site: Site, call: ast.Call) -> Iterator[Finding]:
        """A scheduler of the project that gives its base class a third argument."""
        func, function = call.func, site.function
        if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Call) or not _reached(site, _REMOVED):
            return
        if function is None or function.owner is None or ast.unparse(func.value.func) != "super":
            return
        bases = function.owner.node.bases
        if len(bases) != 1 or site.file.kinds.imported(bases[0], function.owner.outside) not in SCHEDULER_BASE_ORIGINS:
            return
        if argument(call, "verbose", 2) is None or depends_on_version(site.block):
            return
        message = "schedulers of PyTorch take no `verbose` since 2.7: hand on the optimizer and `last_epoch` alone"
        yield self.finding(site, message, confidence=0.95)


def _call(site: Site) -> ast.Call | None:

    place = call_of(site.file, site.node)
    return place.node if place is not None and isinstance(place.node, ast.Call) else None


def _passes(call: ast.Call, row: OldArgument) -> bool:
    """Whether a call passes the old argument by name, with a value that matters."""
    given = next((item for item in call.keywords if item.arg == row.keyword), None)
    return given is not None and (row.only_value is ... or constant(given.value) == row.only_value)


def _message(call: ast.Call, row: OldArgument, *, removed: bool) -> str:
    name = ast.unparse(call.func)
    what = f"`{name}` takes no `{row.keyword}`" if removed else f"`{row.keyword}` of `{name}` is deprecated"
    when = f" since PyTorch {row.removed[0]}.{row.removed[1]}" if removed and row.removed else ""
    return f"{what}{when}: {row.advice}" if row.dropped else f"{what}{when}; write {row.advice}"


def _reached(site: Site, version: tuple[int, int] | None) -> bool:
    target = site.file.config.target_torch
    return version is not None and (target is None or target.reaches(version))


def _fix(site: Site, call: ast.Call, row: OldArgument) -> Fix | None:
    from trainlint.fixing.keywords import remove_arguments, rename_argument
    from trainlint.fixing.rewrite import attempt

    names = [keyword.arg for keyword in call.keywords]
    literal = constant(call.keywords[names.index(row.keyword)].value)
    index = len(call.args) + names.index(row.keyword)
    if row.dropped:
        return attempt(
            lambda: Fix(f"Leave out {row.keyword}", (remove_arguments(site.source, call, row.keyword),), Safety.SAFE)
        )
    alone = not {"size_average", "reduce"} <= set(names)
    if not row.renamed or not alone or (row.values and literal not in row.values):
        return None
    value = row.values[literal] if row.values else None
    if row.renamed == row.keyword:
        from trainlint.fixing.rewrite import set_keyword

        return attempt(
            lambda: Fix("Use the new value", (set_keyword(site.source, call, row.renamed, value or ""),), Safety.SAFE)
        )
    return attempt(
        lambda: Fix(f"Use {row.renamed}", (rename_argument(site.source, call, index, row.renamed, value),), Safety.SAFE)
    )
