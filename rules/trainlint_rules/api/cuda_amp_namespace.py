"""TRN801."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from trainlint.analysis.programs.old_amp import OLD_MODULES, available, newest_needed, old_name, warning_use
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.names import imported_names, root_name
from trainlint.analysis.syntax.roles import import_of, references_by
from trainlint.analysis.syntax.uses import call_of
from trainlint.analysis.tables.precision import AUTOCAST
from trainlint.finding import Finding, Fix, Safety, Severity
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom


class CudaAmpNamespace(Rule):
    """Mixed precision by its old names, in `torch.cuda.amp` or `torch.cpu.amp`

    ## Why
    Since PyTorch 2.4 each use of `torch.cuda.amp.autocast`, `GradScaler`, `custom_fwd` and `custom_bwd` raises a
    FutureWarning: a line in the log of every process, an error where warnings are errors, and names that will go.
    In `torch.amp` the device comes first, and `autocast` has the type before `enabled`: `autocast(use_amp)` must
    become `autocast("cuda", enabled=use_amp)`, for `autocast("cuda", use_amp)` fails.

    ## Example
    ```python
    import torch
    from torch.cuda.amp import GradScaler, autocast


    def train(model, criterion, optimizer, loader, use_amp):
        scaler = GradScaler(enabled=use_amp)
        for inputs, targets in loader:
            with autocast(use_amp):
                loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()


    def norm(x):
        with torch.cuda.amp.autocast(enabled=False):
            return x.float().norm()
    ```

    ## Use instead
    ```python
    import torch
    from torch.amp import GradScaler, autocast


    def train(model, criterion, optimizer, loader, use_amp):
        scaler = GradScaler("cuda", enabled=use_amp)
        for inputs, targets in loader:
            with autocast("cuda", enabled=use_amp):
                loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()


    def norm(x):
        with torch.amp.autocast("cuda", enabled=False):
            return x.float().norm()
    ```

    The old autocast has a type of its own, float16 on CUDA; the new one takes the type of an autocast around it. Where
    there may be one around, as in a module's method or in a function that others call, the fix writes the type out.

    ## Stays silent
    In code that chooses by version: `torch.amp` in the other branch, or in the other part of a `try`. Where the
    project's oldest PyTorch lacks the new name (`autocast` 1.10, `GradScaler` 2.3, `custom_fwd` and `custom_bwd` 2.4).

    ## Confirmed by
    `trainlint probe` hears PyTorch's warning, and names the line that it comes from.
    FutureWarnings of torch.cuda.amp on the error stream.

    ## Gain
    None in speed: a warning less, and code that goes on working when the old names are removed.

    ## References
    - Automatic mixed precision: https://docs.pytorch.org/docs/stable/amp.html
    """

    code = "TRN801"
    name = "cuda-amp-namespace"
    severity = Severity.WARNING
    confirmed_by = frozenset({Symptom.WARNING})
    warned_as = "torch.(cuda|cpu).amp"
    fix_safety = Safety.SAFE
    heat_matters = False
    triggers = Triggers(references=("torch.cuda.amp", "torch.cpu.amp"))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find what warns when it runs: at the import that brings the old name in, else at the use itself."""
        if isinstance(site.node, ast.ImportFrom):
            uses = (place for place in references_by(site.file, site.node) if warning_use(site.file, place))
            use = next(uses, None)
            if use is not None:
                yield self._at_import(site, site.node, use)
            return
        found = warning_use(site.file, site.place)
        statement = import_of(site.place)
        if found is None or statement is None or not isinstance(site.node, ast.expr):
            return
        meaning = dict(imported_names(statement))[root_name(site.node)]
        if isinstance(statement, ast.Import) and meaning in OLD_MODULES:
            place = Place(statement, site.file.outline.block_of[statement], statement)
            yield self._at_import(Site(site.file, place), statement, site.place)
        elif meaning not in OLD_MODULES and old_name(meaning) is None:
            device, symbol = found
            call = call_of(site.file, site.node)
            yield self.finding(
                site,
                f"`torch.{device}.amp.{symbol}` is deprecated and warns at each use; write {_advice(device, symbol)}",
                at=site.node if call is None else call.node,
                confidence=0.95,
                fix=partial(_fix, site, site.place),
                fix_needs=newest_needed(site.file),
            )

    def _at_import(self, site: Site, statement: ast.Import | ast.ImportFrom, use: Place) -> Finding:
        meanings = [meaning for _, meaning in imported_names(statement)]
        names = [found for found in map(old_name, meanings) if found is not None and found[1] in available(site.file)]
        device = names[0][0] if names else "cpu" if "torch.cpu.amp" in meanings else "cuda"
        words = f" ({', '.join(symbol for _, symbol in names)})" if names else ""
        message = (
            f"what comes from `torch.{device}.amp` here{words} is deprecated and warns at each use; "
            "import it from `torch.amp`, which asks for the device"
        )
        return self.finding(
            site, message, confidence=0.95, fix=partial(_fix, site, use), fix_needs=newest_needed(site.file)
        )


def _fix(site: Site, use: Place) -> Fix | None:
    from trainlint.fixing.amp import rewritten
    from trainlint.fixing.rewrite import attempt

    return attempt(lambda: rewritten(site.file, use))


def _advice(device: str, symbol: str) -> str:
    if symbol.startswith("custom"):
        return f'`torch.amp.{symbol}(device_type="{device}")`'
    arguments = "enabled=...)`, its arguments by name" if symbol == AUTOCAST.name else "...)`"
    return f'`torch.amp.{symbol}("{device}", {arguments}'
