"""TRN304."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from trainlint.analysis.programs.evaluation import forwards_with_graph
from trainlint.analysis.programs.steps import LoopKind
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, BlockKind
from trainlint.analysis.syntax.names import end_position, position
from trainlint.analysis.types.backward import Backwards, graph_names, held_by
from trainlint.analysis.types.values import Kind, Origin, Value
from trainlint.finding import Finding, Fix, Safety, Severity
from trainlint.rule import Rule, Triggers
from trainlint_rules.memory.idioms.lifetimes import Lifetime, lifetime

_SHORT = 40
"""The longest expression that a message quotes, in characters."""
_ITERATIONS = (LoopKind.STEP, LoopKind.MICRO, LoopKind.EVAL)


class GraphKeptInAccumulator(Rule):
    """A sum or list that outlives the step holds the loss with its autograd graph

    ## Why
    A loss remembers how it was computed. What is added to a running total, or appended to a list, keeps that memory
    alive as long as the total or the list lives. Where no backward ran, all activations of each batch stay on the
    device, until it is full. After a backward the activations are gone, but the nodes of each step's graph stay:
    host memory grows by some hundred kilobytes a step, and freeing them all at once takes long.

    ## Example
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader, device):
        running_loss = torch.zeros((), device=device)
        for inputs, targets in train_loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            running_loss += loss
        print(running_loss.item() / len(train_loader))
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader, device):
        running_loss = torch.zeros((), device=device)
        for inputs, targets in train_loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            running_loss += loss.detach()
        print(running_loss.item() / len(train_loader))
    ```

    `.detach()` costs nothing and waits for nothing; `.item()` would make the host wait in each step. A sum that is
    reset with each window of gradient accumulation keeps few nodes, and for a short while: that is only advice.

    ## Stays silent
    For sums that are back-propagated themselves; for sums that start anew in each step; for what was detached or
    computed without gradients; for what a function collects to return to its caller's backward; for meters with an
    `append` of their own.

    ## Confirmed by
    The total has a `grad_fn` after the step, and live `grad_fn` nodes or allocated memory grow from step to step.

    ## Gain
    Memory: the graph nodes of each step, or, where backward never ran, all of its activations. No speed until memory
    runs out. Not measured here.

    ## References
    - Frequently asked questions, "My model reports cuda runtime error: out of memory":
      https://docs.pytorch.org/docs/stable/notes/faq.html
    - `torch.Tensor.detach`: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.detach.html
    """

    code = "TRN304"
    name = "graph-kept-in-accumulator"
    severity = Severity.WARNING
    fix_safety = Safety.SAFE
    triggers = Triggers(accumulations=True, calls=frozenset({"append"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find values with a graph that are added to what outlives the iteration."""
        loop = _iteration(site)
        if loop is None or site.gradients_off:
            return
        kept = _kept(site)
        if kept is None:
            return
        lives = lifetime(site.file, site.place, kept.holder, loop)
        flow = site.file.backwards(site.block)
        if lives is Lifetime.ROUND or any(flow.goes_through(name) for name in held_by(kept.holder)):
            return
        value, kind = site.value(kept.added), site.file.loops.kind(loop)
        freed = kind is not LoopKind.EVAL and _is_loss(kept.added, value, flow)
        if not freed and kind is LoopKind.STEP and _is_collected_output(kept, value):
            return  # TRN315 finds these
        confidence = _confidence(site, value, loop, lives, freed=freed)
        if confidence:
            yield self.finding(
                site,
                _message(site, kept, lives, freed=freed),
                at=site.statement,
                confidence=confidence,
                severity=Severity.ADVICE if freed and lives is Lifetime.WINDOW else None,
                fix=partial(_detached, site, kept, freed=freed),
            )


@dataclass(frozen=True, slots=True)
class _Kept:
    """What is added to what."""

    holder: ast.expr
    added: ast.expr
    is_list: bool = False


def _kept(site: Site) -> _Kept | None:
    node = site.node
    if isinstance(node, ast.AugAssign):
        return _Kept(node.target, node.value)
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp):
        target = node.targets[0]
        for side, other in ((node.value.left, node.value.right), (node.value.right, node.value.left)):
            if type(side) is type(target) and ast.unparse(side) == ast.unparse(target):
                return _Kept(target, other)
        return None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and len(node.args) == 1:
        is_list = site.value(node.func.value).kind is Kind.CONTAINER
        return _Kept(node.func.value, node.args[0], is_list=True) if is_list else None
    return None


def _is_collected_output(kept: _Kept, value: Value) -> bool:
    return kept.is_list and value.origin is Origin.OUTPUT


def _iteration(site: Site) -> Block | None:
    """The innermost loop around that takes one batch in each round, of training or of evaluation."""
    for block in site.block.outwards():
        if block.kind is BlockKind.FUNCTION:
            return None
        if block.kind is BlockKind.LOOP and site.file.loops.kind(block) in _ITERATIONS:
            return block
    return None


def _is_loss(added: ast.expr, value: Value, flow: Backwards) -> bool:
    """Whether a backward of this function is started from the added value, or from a sum that it is a term of.

    Such a backward has freed the graph, so nobody can go through the total as well.
    """
    names = list(graph_names(added, terms_only=True))
    if value.attached is False or any(flow.stays_after_backward(name) for name in names):
        return False
    if any(flow.starts_from(name) for name in names):
        return value.kind in (Kind.TENSOR, Kind.UNKNOWN)
    return value.is_tensor and any(flow.is_part_of_loss(name) for name in names)


def _confidence(site: Site, value: Value, loop: Block, lives: Lifetime, *, freed: bool) -> float:
    if freed:
        return 0.8 if lives is Lifetime.WINDOW else 0.9
    if not value.is_tensor or value.attached is not True:
        return 0.0
    if site.file.loops.kind(loop) is not LoopKind.EVAL or not forwards_with_graph(site.file, loop):
        return 0.5  # what is no part of the loss is often detached where it is made
    return (0.92 if value.origin in (Origin.LOSS, Origin.OUTPUT) else 0.7) * value.confidence


def _message(site: Site, kept: _Kept, lives: Lifetime, *, freed: bool) -> str:
    if not freed:
        cost = "keeps the activations of each batch alive, until the device is full"
    elif lives is Lifetime.WINDOW:
        cost = "keeps the graph of each batch referenced until the sum is reset"
    else:
        cost = "keeps the graph nodes of each step alive after the backward: a small but steady leak"
    verb = "appended to" if kept.is_list else "added to"
    holder, added = _quoted(site, kept.holder, "what lives longer"), _quoted(site, kept.added, "this value")
    return f"{added}, {verb} {holder} with its graph, {cost}; use `.detach()`"


def _quoted(site: Site, node: ast.expr, otherwise: str) -> str:
    """An expression as it is written, where it is short."""
    source = site.source
    text = source.text[source.offset(*position(node)) : source.offset(*end_position(node))]
    return f"`{text}`" if len(text) <= _SHORT and "\n" not in text else otherwise


def _detached(site: Site, kept: _Kept, *, freed: bool) -> Fix | None:
    from trainlint.fixing.rewrite import append_attribute_call, attempt

    flow = site.file.backwards(site.block)
    leaves = any(flow.leaves(name) for name in held_by(kept.holder))
    safety = Safety.SAFE if freed or not leaves else Safety.UNSAFE
    return attempt(lambda: Fix("Detach it", append_attribute_call(site.source, kept.added, ".detach()"), safety))
