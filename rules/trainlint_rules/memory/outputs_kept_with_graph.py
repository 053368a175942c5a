"""TRN315."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from trainlint.analysis.effects.accumulation import loop_around
from trainlint.analysis.programs.steps import LoopKind
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.syntax.names import dotted
from trainlint.analysis.types.backward import held_by
from trainlint.analysis.types.values import Kind, Origin
from trainlint.finding import Finding, Fix, Safety, Severity
from trainlint.rule import Rule, Triggers
from trainlint_rules.memory.idioms.lifetimes import Lifetime, lifetime


class OutputsKeptWithGraph(Rule):
    """A list that outlives the training step collects outputs with their autograd graphs

    ## Why
    An output of the model holds the graph of its forward. The backward frees what the forward stored, but not the nodes
    of the graph, and nothing of a part of the graph that the backward does not reach, such as a head that has no
    loss: its activations stay on the device as long as the list does. Lists of an epoch's outputs, kept for a metric
    at its end, so grow by nodes at the least, and by activations at the worst, in each step.

    ## Example
    ```python
    import torch


    def train(model, criterion, optimizer, loader, device):
        kept = []
        for inputs, targets in loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            outputs = model(inputs)
            loss = criterion(outputs, targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            kept.append(outputs)
        return torch.cat([item.detach() for item in kept])
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, optimizer, loader, device):
        kept = []
        for inputs, targets in loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            outputs = model(inputs)
            loss = criterion(outputs, targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            kept.append(outputs.detach())
        return torch.cat([item.detach() for item in kept])
    ```

    ## Stays silent
    For losses and for evaluations, which are TRN304's; for what a backward goes through after it was collected; for
    what starts anew in each round; for what was detached; in tests.

    ## Fix safety
    Whoever goes back through the list by a way that is out of sight gets no gradients any more.

    ## Confirmed by
    Items of the list have a `grad_fn`, and live nodes, or allocated memory, grow from step to step.

    ## Gain
    Host memory by some hundred kilobytes a step for a large model, and the activations of all that no backward
    reaches: the figure is that of TRN304's page, not measured here for outputs. Nothing where the list is short.

    ## References
    - Frequently asked questions, "My model reports cuda runtime error: out of memory":
      https://docs.pytorch.org/docs/stable/notes/faq.html
    - `torch.Tensor.detach`: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.detach.html
    """

    code = "TRN315"
    name = "outputs-kept-with-graph"
    severity = Severity.WARNING
    fix_safety = Safety.UNSAFE
    triggers = Triggers(calls=frozenset({"append"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find lists to which each step of a training loop adds an output with its graph."""
        call = site.call
        if (
            is_test_path(site.path)
            or site.gradients_off
            or len(call.args) != 1
            or not isinstance(call.func, ast.Attribute)
        ):
            return
        holder, added = call.func.value, call.args[0]
        loop = loop_around(site.block)
        if loop is None or site.file.loops.kind(loop) is not LoopKind.STEP:
            return
        value = site.value(added)
        if not value.is_tensor or value.attached is not True or value.origin is not Origin.OUTPUT:
            return
        if site.value(holder).kind is not Kind.CONTAINER or not _outlives(site, holder, added, loop):
            return
        yield self.finding(
            site,
            f"`{dotted(holder) or 'this list'}` keeps the autograd graph of each step's output after its backward; "
            "append `.detach()`",
            confidence=0.95 * value.confidence,
            fix=partial(_detached, site, added),
        )


def _outlives(site: Site, holder: ast.expr, added: ast.expr, loop: Block) -> bool:
    """Whether a list keeps graphs over several steps that no backward goes through from there."""
    if lifetime(site.file, site.place, holder, loop) is not Lifetime.LOOP:
        return False
    flow = site.file.backwards(site.block)
    if any(flow.goes_through(name) for name in held_by(holder)):
        return False
    return not any(flow.is_part_of_loss(name) for name in held_by(added))  # which is TRN304's


def _detached(site: Site, added: ast.expr) -> Fix | None:
    from trainlint.fixing.rewrite import append_attribute_call, attempt

    return attempt(lambda: Fix("Detach it", append_attribute_call(site.source, added, ".detach()"), Safety.UNSAFE))
