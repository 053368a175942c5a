"""TRN404."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from trainlint.analysis.conditions.branches import may_run_together
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, BlockKind, Place
from trainlint.analysis.syntax.names import dotted, position
from trainlint.analysis.tables.clipping import IMPORTED
from trainlint.finding import Finding, Fix, Safety, Severity
from trainlint.rule import Rule, Triggers
from trainlint_rules.compute.idioms.grad_scalers import ScaledBackward, scaled_backwards, scalers

_CLIPS_GRADIENTS = ("torch.", "timm.")
"""Whose functions of these names clip what they find in `.grad`: others, such as Accelerate's, unscale first."""
_BY_HAND = frozenset({"get_scale", "master_params"})
"""Traces of gradients that the code scales back by itself, or keeps unscaled beside the others."""


class ClipBeforeUnscale(Rule):
    """Gradients are clipped while they are still multiplied by the loss scale

    ## Why
    A gradient scaler multiplies the loss, and with it all gradients, by a factor that starts at 65536. Clipped to a
    norm of 1 in this state, gradients come out 65536 times too short once the scaler has divided them: every step is
    clipped, whatever its gradients were, to almost nothing. Optimizers that divide by the size of gradients, such as
    Adam, hide it, so that training goes on, only with another clipping than was meant, and one that changes with the
    scale.

    ## Example
    ```python
    import torch


    def train(model, criterion, optimizer, loader, device):
        scaler = torch.amp.GradScaler("cuda")
        for inputs, targets in loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            with torch.autocast("cuda", dtype=torch.float16):
                loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            scaler.scale(loss).backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, optimizer, loader, device):
        scaler = torch.amp.GradScaler("cuda")
        for inputs, targets in loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            with torch.autocast("cuda", dtype=torch.float16):
                loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
    ```

    `scaler.step` knows that gradients were unscaled and does not divide them again. Once for each optimizer and
    step: a second `unscale_` before `update()` raises an error.

    ## Stays silent
    Where anything called unscale comes first; in the branch that trains without the scaler; for scalers that are
    switched off; for the clipping of Accelerate, Fabric and other frameworks, which unscale by themselves; for Apex's
    `master_params`; for losses that are not scaled.

    ## Fix safety
    The fix inserts the missing call: steps are longer from then on, as they were meant to be. A learning rate that was
    tuned with the defect may be too large now.

    ## Confirmed by
    The norm that `clip_grad_norm_` returns is about the scale, `scaler.get_scale()`, times what it is after
    `unscale_`.

    ## Gain
    No time: what is gained is the training that was meant. PyTorch's documentation shows the order; what the defect
    costs in quality was not measured here. Nothing is gained where the bound is never reached, scale included.

    ## References
    - Automatic mixed precision examples, "Gradient clipping":
      https://docs.pytorch.org/docs/stable/notes/amp_examples.html#gradient-clipping
    """

    code = "TRN404"
    name = "clip-before-unscale"
    severity = Severity.ERROR
    fix_safety = Safety.UNSAFE
    heat_matters = False
    triggers = Triggers(calls=IMPORTED)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find clipping between the backward of a scaled loss and the step of the scaler, without an unscaling."""
        if not (site.origin(site.call.func) or "").startswith(_CLIPS_GRADIENTS):
            return
        around = _Around(site)
        scaled = around.scaled()
        step = around.step(scaled.scaler) if scaled is not None else None
        if scaled is None or step is None or around.is_unscaled():
            return
        yield self.finding(
            site,
            f"these gradients are still multiplied by the loss scale, which starts at 65536, so they are clipped to "
            f"almost nothing; call `{scaled.scaler}.unscale_({_optimizer(step)})` before",
            confidence=0.95,
            fix=partial(_fix, site, scaled.scaler, step),
        )


class _Around:
    """What may run in the same go as a clipping, in its function."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.function = site.function

    def scaled(self) -> ScaledBackward | None:
        """The backward of a scaled loss before the clipping."""
        found = [item for item in scaled_backwards(self.site.file, self.function) if self._before(item.place)]
        if any(scaler.enabled is False for scaler in scalers(self.site.file)):
            return None
        return found[-1] if found else None

    def step(self, scaler: str) -> Place | None:
        """The step of the scaler behind the clipping."""
        for place in self._calls("step"):
            assert isinstance(place.node, ast.Call)
            func = place.node.func
            if isinstance(func, ast.Attribute) and dotted(func.value) == scaler and place.node.args:
                if position(place.node) > position(self.site.call):
                    return place
        return None

    def is_unscaled(self) -> bool:
        """Whether gradients were divided by the scale, or clipped already, which is found there."""
        outline = self.site.file.outline
        names = [name for name in outline.calls if "unscale" in name.lower() or name in _BY_HAND]
        if any(True for name in names for _ in self._calls(name)):
            return True
        return any(self._before(place) for name in IMPORTED for place in self._calls(name))

    def _calls(self, name: str) -> list[Place]:
        found = self.site.file.outline.calls.get(name, [])
        return [place for place in found if self._runs_here(place)]

    def _runs_here(self, place: Place) -> bool:
        same = self.site.file.graph.enclosing(place.block) is self.function
        return same and may_run_together(place.block, self.site.block)

    def _before(self, place: Place) -> bool:
        assert isinstance(place.node, ast.Call)
        return self._runs_here(place) and position(place.node) < position(self.site.call)


def _optimizer(step: Place) -> str:
    assert isinstance(step.node, ast.Call)
    return ast.unparse(step.node.args[0])


def _fix(site: Site, scaler: str, step: Place) -> Fix | None:
    """The call above the clipping, where that runs once in each step."""
    if not isinstance(site.statement, ast.Expr | ast.Assign) or _loop(site.block) is not _loop(step.block):
        return None
    from trainlint.fixing.rewrite import attempt, insert_before

    text = f"{scaler}.unscale_({_optimizer(step)})"
    return attempt(lambda: Fix("Unscale first", (insert_before(site.source, site.statement, text),), Safety.UNSAFE))


def _loop(block: Block) -> Block | None:
    return next((outer for outer in block.outwards() if outer.kind in (BlockKind.LOOP, BlockKind.FUNCTION)), None)
