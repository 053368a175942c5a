"""TRN402."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.analysis.tables.precision import AUTOCAST
from trainlint.analysis.types.backward import held_by
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers
from trainlint_rules.compute.idioms.precision import CastTo, autocast_of, regions

_SCALED = lazy(r"scaler|loss_?scal|scale_loss", re.IGNORECASE)
"""Traces of a loss that is scaled in some way, if only in a comment."""


class HalfWithoutScaler(Rule):
    """Training in float16 autocast without a gradient scaler

    ## Why
    float16 ends at about 6e-8: smaller gradients become zero, and the weights behind them stop to learn. Losses are
    therefore multiplied by a large factor before the backward and gradients divided by it afterwards, which is what
    `torch.amp.GradScaler` does. bfloat16 has the range of float32 and needs no scaler. On CUDA, autocast computes in
    float16 unless it is told otherwise.

    ## Example
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader):
        for inputs, targets in train_loader:
            inputs = inputs.cuda(non_blocking=True)
            targets = targets.cuda(non_blocking=True)
            with torch.autocast("cuda"):
                loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


    if __name__ == "__main__":
        from project import criterion, model, optimizer, train_loader

        train(model, criterion, optimizer, train_loader)
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader):
        for inputs, targets in train_loader:
            inputs = inputs.cuda(non_blocking=True)
            targets = targets.cuda(non_blocking=True)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


    if __name__ == "__main__":
        from project import criterion, model, optimizer, train_loader

        train(model, criterion, optimizer, train_loader)
    ```

    bfloat16 is fast from the Ampere generation on (compute capability 8.0). On older GPUs keep float16 and add a
    `torch.amp.GradScaler`.

    ## Stays silent
    For bfloat16, and for types that a variable holds; where a scaler is used anywhere on the way into the loop, or the
    file speaks of one; under frameworks, which scale by themselves; where the way into the loop is out of sight; for
    autocast around what no backward goes through; in tests.

    ## Confirmed by
    Gradients that are exactly zero after the backward, and are not in float32: `(p.grad == 0).float().mean()`.

    ## Gain
    No time: what is gained is the training that was meant. In the paper on mixed precision, a detector diverged in
    float16 until its loss was scaled by 8, and other networks did not need it: nothing is lost where all gradients
    are large. Not measured here.

    ## References
    - Gradient scaling: https://docs.pytorch.org/docs/stable/amp.html#gradient-scaling
    - Mixed Precision Training: https://arxiv.org/abs/1710.03740
    """

    code = "TRN402"
    name = "half-without-scaler"
    severity = Severity.ERROR
    heat_matters = False
    triggers = Triggers(calls=frozenset({AUTOCAST.name}))
    preview = True

    def check(self, site: Site) -> Iterator[Finding]:
        """Find float16 contexts around a loss that is back-propagated without a scaler anywhere on the way."""
        autocast = autocast_of(site.file, site.call, site.block)
        if autocast is None or autocast.dtype is not CastTo.FLOAT16 or autocast.enabled is False:
            return
        if is_test_path(site.path) or site.file.says(_SCALED):
            return
        trained = [block for block in regions(site.file, site.call) if _is_trained(site.file, block)]
        if trained and not any(_may_be_scaled(site.file, block) for block in trained):
            yield self.finding(
                site.at(site.node, trained[0]),
                "gradients of what runs here in float16 are not scaled, so small ones become zero; "
                "use `dtype=torch.bfloat16`, or a `torch.amp.GradScaler`",
                confidence=0.9 if autocast.enabled else 0.8,
            )


def _is_trained(file: SemanticModel, region: Block) -> bool:
    """Whether a backward goes through what is assigned in a region."""
    flow = file.backwards(region)
    for statement, block in file.outline.block_of.items():
        if isinstance(statement, ast.Assign) and block.within(region) and not file.gradients.off(block):
            if any(flow.goes_through(name) for target in statement.targets for name in held_by(target)):
                return True
    return False


def _may_be_scaled(file: SemanticModel, region: Block) -> bool:
    """Whether a scaler or a framework is on the way into a region, or a part of that way is out of sight."""
    kinds = {item.fact.kind for item in file.used_around(region, beside=True)}
    return FactKind.ENTERED not in kinds or bool(kinds & {FactKind.GRAD_SCALER, FactKind.FRAMEWORK})
