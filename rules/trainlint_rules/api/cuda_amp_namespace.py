"""TRN801."""

from __future__ import annotations

import ast

from trainlint.analysis.programs.old_names.old_amp import (
    OLD_MODULES,
    WARNS_SINCE,
    available,
    newest_needed,
    old_name,
    warning_use,
)
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.names import imported_names, root_name
from trainlint.analysis.syntax.roles import import_of, references_by
from trainlint.analysis.syntax.uses import call_of
from trainlint.contract.bases import ReferenceRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Fix, Safety
from trainlint.symptoms import Symptom
from trainlint_rules.api.idioms.guards import sure_if_warned


class CudaAmpNamespace(ReferenceRule):
    """Mixed precision by its old names, in `torch.cuda.amp` or `torch.cpu.amp`

    ## Why
    Since PyTorch 2.4 each use of `torch.cuda.amp.autocast`, `GradScaler`, `custom_fwd` and `custom_bwd` raises a
    FutureWarning: a line in the log of every process, an error where warnings are errors, and names that will go.
    Nothing is reported in a project that supports only older versions.
    In `torch.amp` the device comes first, and `autocast` has the type before `enabled`: `autocast(use_amp)` must
    become `autocast("cuda", enabled=use_amp)`, for `autocast("cuda", use_amp)` fails.

    By default it is reported only where the project states a PyTorch that warns of it, or that lacks it
    ([`target-torch`](../configuration.md#target-torch)); elsewhere it is possible.

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
            with autocast("cuda", dtype=torch.float16, enabled=use_amp):
                loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()


    def norm(x):
        with torch.amp.autocast("cuda", dtype=torch.float16, enabled=False):
            return x.float().norm()
    ```

    The old autocast has a type of its own, float16 on CUDA and bfloat16 on the CPU; the new one takes that of an
    autocast around it, which any caller or library may have entered. So the fix writes the type out.

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
    editor_tag = "deprecated"
    aliases = ("TOR101", "TOR103")
    confirmed_by = frozenset({Symptom.WARNING})
    warned_as = "torch.(cuda|cpu).amp"
    on = ("torch.cuda.amp", "torch.cpu.amp")
    in_tests = True
    message = "`torch.{device}.amp{symbol}` is deprecated"
    help = "import `{names}` from `torch.amp` and pass `{argument}`"
    fix_safety = Safety.SAFE

    def found(self, site: Site) -> Match | None:
        """What warns when it runs: at the import that brings the old name in, else at the use itself."""
        if isinstance(site.node, ast.ImportFrom):
            uses = references_by(site.file, site.node)
            use = next((place for place in uses if warning_use(site.file, place)), None)
            return _at_import(site, site.node, use) if use is not None else None
        old, statement = warning_use(site.file, site.place), import_of(site.place)
        if old is None or statement is None or not isinstance(site.node, ast.expr):
            return None
        meaning = dict(imported_names(statement))[root_name(site.node)]
        if isinstance(statement, ast.Import) and meaning in OLD_MODULES:
            block = site.file.outline.block_of[statement]
            return _at_import(Site(site.file, Place(statement, block, statement)), statement, site.place)
        if meaning in OLD_MODULES or old_name(meaning) is not None:
            return None  # reported at the import
        call = call_of(site.file, site.node)
        return _match(site if call is None else site.at(call.node), old[0], old[1], site.place, by=f".{old[1]}")

    def fix(self, site: Site, match: Match) -> Fix | None:
        """The same under the new names, in the whole file where the import is concerned."""
        from trainlint.fixing.amp import rewritten
        from trainlint.fixing.rewrite import attempt

        return attempt(lambda: rewritten(site.file, match["use"]))


def _at_import(site: Site, statement: ast.Import | ast.ImportFrom, use: Place) -> Match:
    meanings = [meaning for _, meaning in imported_names(statement)]
    names = [found for found in map(old_name, meanings) if found is not None and found[1] in available(site.file)]
    device = names[0][0] if names else "cpu" if "torch.cpu.amp" in meanings else "cuda"
    used = warning_use(site.file, use)
    return _match(site, device, ", ".join(symbol for _, symbol in names) or (used[1] if used else ""), use)


def _match(site: Site, device: str, names: str, use: Place, *, by: str = "") -> Match:
    argument = f'device_type="{device}"' if names.startswith("custom") else f'"{device}"'
    fields = {"device": device, "symbol": by, "names": names, "argument": argument, "use": use}
    return Match(site, sure_if_warned(site, WARNS_SINCE), fields, fix_needs=newest_needed(site.file))
