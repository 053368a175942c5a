"""TRN306."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import partial

from trainlint.analysis.conditions.option_defaults import Flags
from trainlint.analysis.conditions.tested_values import asks_only_for_gradient
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, BlockKind
from trainlint.analysis.syntax.names import argument, constant, last_name, nodes_in
from trainlint.finding import Finding, Fix, Safety, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom

_ZEROING = frozenset({"zero_", "fill_"})
_NEEDS_BUFFERS = lazy(r"cuda_?graph|cuda\.graph\(|make_graphed_callables|main_grad", re.IGNORECASE)
"""Traces of code that wants its gradients to stay where they are: captured graphs, buffers of gradients."""
_ADDING = frozenset({"add_", "copy_", "lerp_", "addcmul_"})
"""Methods by which code puts gradients of its own into what is there, so that something must be there."""


class GradientsZeroedInPlace(Rule):
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
            optimizer.zero_grad(set_to_none=False)
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
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    ```

    Found, too: loops with `p.grad.zero_()`, and a `set_to_none` that a switch of the program turns off by default.

    ## Stays silent
    For plain `zero_grad()`, which needs `set_to_none=True` only before PyTorch 2.0; in optimizers that only pass the
    argument on; where gradients must stay where they are: captured CUDA graphs, gradients in buffers, code that adds
    to `.grad` by itself; for some parameters only; in tests.

    ## Fix safety
    A parameter that a step does not use has no gradient now, where it had zeros: the optimizer skips it, and no longer
    moves it by momentum or weight decay. Code that reads `.grad` without asking whether it is `None` fails.

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
    severity = Severity.WARNING
    fix_safety = Safety.UNSAFE
    confirmed_by = frozenset({Symptom.GRADIENTS_ZEROED})
    triggers = Triggers(calls=frozenset({"zero_grad"}) | _ZEROING)
    aliases = ("TOR402",)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find calls that zero gradients although they could be given up."""
        if is_test_path(site.path) or site.file.says(_NEEDS_BUFFERS) or _adds_to_gradients(site):
            return
        if last_name(site.call.func) == "zero_grad":
            yield from self._asked_for(site)
        elif _is_gradient_of_loop(site):
            yield self.finding(
                site,
                "this writes zeros into each gradient, which keeps its memory and makes the next backward add to it; "
                "set the gradients to `None`, as `zero_grad()` does since PyTorch 2.0",
                confidence=0.9,
                fix=partial(_given_up, site),
            )

    def _asked_for(self, site: Site) -> Iterator[Finding]:
        given = argument(site.call, "set_to_none", 0)
        if given is None or not isinstance(site.call.func, ast.Attribute):
            return
        if constant(given) is False:
            said, confidence = "`set_to_none=False`", 0.95
        elif constant(given) is ... and not _passes_on(site) and _off_by_default(site, given):
            said, confidence = f"`{ast.unparse(given)}`, off by default,", 0.8
        else:
            return
        yield self.finding(
            site,
            f"{said} keeps the memory of all gradients and fills it with zeros, to which the next backward adds; "
            "leave them at `None`",
            confidence=confidence,
            fix=partial(_set_to_none, site) if constant(given) is False else None,
        )


def _passes_on(site: Site) -> bool:
    """Whether a `zero_grad` hands its own argument on: its callers decide."""
    function = site.function
    return function is not None and function.name == "zero_grad"


def _off_by_default(site: Site, given: ast.expr) -> bool:
    return Flags(site.file.outline).default(given, site.block) is False


def _is_gradient_of_loop(site: Site) -> bool:
    """Whether a call zeroes `p.grad` for each `p` of a loop, for no other reason than that there is a gradient."""
    func = site.call.func
    if not isinstance(func, ast.Attribute) or (func.attr == "fill_" and constant(argument(site.call, "value", 0)) != 0):
        return False
    gradient = func.value
    if isinstance(gradient, ast.Attribute) and gradient.attr == "data":
        gradient = gradient.value
    if not isinstance(gradient, ast.Attribute) or gradient.attr != "grad" or not isinstance(gradient.value, ast.Name):
        return False
    return _runs_for_each(site.block, gradient.value.id)


def _runs_for_each(block: Block, name: str) -> bool:
    for outer in block.outwards():
        if outer.kind is BlockKind.LOOP and isinstance(outer.node, ast.For):
            return any(isinstance(part, ast.Name) and part.id == name for part in nodes_in(outer.node.target))
        if not asks_only_for_gradient(outer):
            return False
    return False


def _adds_to_gradients(site: Site) -> bool:
    """Whether the file puts gradients of its own into those that are there."""
    stores = (place.statement for place in site.file.outline.stores.get("grad", ()))
    if any(isinstance(store, ast.AugAssign) and isinstance(store.op, ast.Add | ast.Sub) for store in stores):
        return True
    return any(
        isinstance(called.call.func, ast.Attribute) and last_name(called.call.func.value) == "grad"
        for called in site.calls(*_ADDING)
    )


def _set_to_none(site: Site) -> Fix | None:
    from trainlint.fixing.rewrite import attempt, set_keyword

    if site.call.args:
        return None
    return attempt(
        lambda: Fix("Give them up", (set_keyword(site.source, site.call, "set_to_none", "True"),), Safety.UNSAFE)
    )


def _given_up(site: Site) -> Fix | None:
    """`p.grad = None` in place of the statement `p.grad.zero_()`."""
    statement = site.statement
    if not isinstance(statement, ast.Expr) or statement.value is not site.node:
        return None
    gradient = site.call.func
    while isinstance(gradient, ast.Attribute) and gradient.attr != "grad":
        gradient = gradient.value
    import libcst as cst

    from trainlint.fixing.rewrite import attempt, replace_simple_statement

    target = cst.ensure_type(cst.parse_expression(ast.unparse(gradient)), cst.Attribute)
    new = cst.Assign([cst.AssignTarget(target)], cst.Name("None"))
    return attempt(
        lambda: Fix("Give the gradient up", (replace_simple_statement(site.source, statement, new),), Safety.UNSAFE)
    )
