"""TRN306."""

from __future__ import annotations

import ast

from trainlint.analysis.conditions.branches import is_tested_for_others
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import argument, constant, last_name, nodes_in
from trainlint.analysis.tables.signs import GRAPH_CAPTURE, STATIC_GRADIENTS
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guard import early_guard
from trainlint.contract.guards.names import shows
from trainlint.symptoms import Symptom
from trainlint_rules.memory.idioms.iterations import REPEATED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel
    from trainlint.analysis.syntax.blocks import Block

gradients_in_buffers = shows(
    "the code names CUDA graphs or gradient buffers, whose addresses must not change", GRAPH_CAPTURE, STATIC_GRADIENTS
)
_READING = frozenset({"zero_", "fill_", "detach_", "requires_grad_", "mul_", "div_", "clamp_"})
"""Methods that need no gradient to be there before a backward."""
_OF_GRADIENTS = frozenset({"grad", "requires_grad"})
_UNSET = "set each gradient to `None`, as `zero_grad()` does"


@early_guard
def adds_to_gradients(site: Site) -> bool:
    """The file adds to or writes into `.grad`, so `.grad` must exist."""
    return _adds_to_gradients(site.file)


@once
def _adds_to_gradients(file: SemanticModel) -> bool:
    for node in nodes_in(file.tree):
        written: ast.expr | None = None
        match node:
            case ast.AugAssign(target=target) | ast.Subscript(value=target, ctx=ast.Store()):
                written = target
            case ast.Call(func=ast.Attribute(attr=name, value=target)) if name.endswith("_"):
                written = target if name not in _READING else None
        while isinstance(written, ast.Attribute) and written.attr == "data":
            written = written.value
        if isinstance(written, ast.Attribute) and written.attr == "grad":
            return True
    return False


class GradientsZeroedInPlace(CallRule):
    """Gradients are overwritten with zeros instead of being given up

    ## Why
    A gradient of zeros takes as much memory as any other: four bytes a parameter in float32, through the whole next
    forward, where memory is needed for activations. Writing the zeros costs a pass over all gradients, and the next
    backward reads them back to add to them. A gradient of `None` costs nothing: backward then stores its result
    without a sum. Since PyTorch 2.0, `zero_grad()` does just that.

    ## Example
    ```python
    def train(model, criterion, optimizer, loader, device):
        for inputs, targets in loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            for parameter in model.parameters():
                parameter.grad.zero_()
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    def train(model, criterion, optimizer, loader, device):
        for inputs, targets in loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            for parameter in model.parameters():
                parameter.grad = None
            loss.backward()
            optimizer.step()
    ```

    Plain `zero_grad()` does that by itself since PyTorch 2.0. Found, too: `zero_grad(set_to_none=False)`.

    ## Confirmed by
    `trainlint probe` times `zero_grad(set_to_none=False)` at this line; on an accelerator it counts it only. Else
    `p.grad` is a tensor of zeros before the backward; a fill kernel for each parameter, or one for each group of
    them, in each step.

    ## Gain
    The memory of all gradients outside of the backward, and one pass over them. PyTorch's documentation promises a
    lower memory footprint and a modest speed-up; not measured here. Nothing is gained at the peak where that is
    reached at the end of the backward.

    ## References
    - `torch.optim.Optimizer.zero_grad`:
      https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.zero_grad.html
    - Performance tuning guide, "Use parameter.grad = None instead of model.zero_grad()":
      https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    """

    code = "TRN306"
    name = "gradients-zeroed-in-place"
    confirmed_by = frozenset({Symptom.GRADIENTS_ZEROED})
    aliases = ("TOR402",)
    on = (".zero_grad", ".zero_", ".fill_")
    when = REPEATED
    unless = (gradients_in_buffers, adds_to_gradients)
    message = "`{text}` keeps the memory of all gradients and fills it with zeros"
    help = "leave the argument out, or pass `set_to_none=True`"

    def found(self, site: Site) -> Match | None:
        """`zero_grad` that is told to write zeros, and zeros that are written into each gradient of a loop."""
        if last_name(site.call.func) == "zero_grad":
            return Match(site) if constant(argument(site.call, "set_to_none", 0)) is False else None
        if last_name(site.call.func) == "fill_" and constant(next(iter(site.call.args), None)) != 0:
            return None
        gradient, loop = site.receiver, site.block.innermost_loop()
        if isinstance(gradient, ast.Attribute) and gradient.attr == "data":
            gradient = gradient.value
        match gradient, loop.node if loop is not None else None:
            case ast.Attribute(value=ast.Name(id=name), attr="grad"), ast.For(target=target):
                of_loop = any(isinstance(part, ast.Name) and part.id == name for part in nodes_in(target))
                return Match(site, help=_UNSET) if of_loop and not _for_some(site, loop) else None
        return None


def _for_some(site: Site, loop: Block | None) -> bool:
    """Whether a test in the loop chooses the parameters by anything but their having a gradient."""
    return loop is not None and is_tested_for_others(site.block, loop, _OF_GRADIENTS)
