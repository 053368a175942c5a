"""TRN405."""

from __future__ import annotations

import ast
import re

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, BlockKind
from trainlint.analysis.syntax.names import last_name
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Confidence
from trainlint.patterns import lazy
from trainlint.symptoms import Symptom
from trainlint_rules.compute.idioms.precision import autocast_around

_ACCELERATOR = lazy(r"(^|_)accelerator$", re.IGNORECASE)
"""What people call an object of Accelerate, whose `backward` stays under autocast."""


class BackwardInsideAutocast(CallRule):
    """The backward runs inside the autocast context that is meant for the forward

    ## Why
    The backward of an operation runs in the type that autocast chose for its forward, whether a context is open or
    not, so the context adds nothing; and what a backward calls by itself, such as an own autograd function, a hook or
    a gradient penalty, is cast a second time, to types that its forward did not see. PyTorch's documentation advises
    against it.

    Contexts with `enabled=False` and the `backward` of an autograd function are no finding.

    ## Example
    ```python
    import torch


    def train(model, criterion, optimizer, loader):
        for inputs, targets in loader:
            inputs = inputs.cuda(non_blocking=True)
            targets = targets.cuda(non_blocking=True)
            optimizer.zero_grad()
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = criterion(model(inputs), targets)
                loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, optimizer, loader):
        for inputs, targets in loader:
            inputs = inputs.cuda(non_blocking=True)
            targets = targets.cuda(non_blocking=True)
            optimizer.zero_grad()
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = criterion(model(inputs), targets)
            loss.backward()
            optimizer.step()
    ```

    ## Confirmed by
    `trainlint probe` counts the backwards at this line that run under autocast. Else
    `torch.is_autocast_enabled("cuda")` is true in a hook of a parameter's gradient.

    ## Gain
    Nothing where a graph holds PyTorch's own operations only: they compute the same either way. Elsewhere backward
    code is no longer cast behind its author's back; not measured here.

    ## References
    - `torch.autocast`, "Backward passes under autocast are not recommended":
      https://docs.pytorch.org/docs/stable/amp.html#autocasting
    """

    code = "TRN405"
    name = "backward-inside-autocast"
    confirmed_by = frozenset({Symptom.BACKWARD_IN_AUTOCAST})
    on = (".backward",)
    message = "`{text}` runs under autocast, which is meant for the forward only"
    help = "move it out of the `with` block: the backward uses the types of the forward anyway"

    def found(self, site: Site) -> Match | None:
        """The backward pass of a training step in the block of an autocast context that is not switched off."""
        autocast = autocast_around(site.file, site.block)
        inside = autocast is not None and autocast.enabled is not False
        by_accelerate = not inside and _under_accelerate(site.block)
        if not (inside or by_accelerate) or site.node not in site.file.training_calls:
            return None
        return Match(site, Confidence.LIKELY if by_accelerate else Confidence.CERTAIN)  # it may train in float32


def _under_accelerate(block: Block) -> bool:
    """Whether the innermost `with` around that makes a context of precision is `with accelerator.autocast():`."""
    for outer in block.outwards():
        if outer.kind is BlockKind.FUNCTION:
            return False
        for item in outer.node.items if isinstance(outer.node, ast.With) else ():
            match item.context_expr:
                case ast.Call(func=ast.Attribute(attr="autocast", value=owner), args=[], keywords=[]):
                    return _ACCELERATOR.search(last_name(owner)) is not None
    return False
