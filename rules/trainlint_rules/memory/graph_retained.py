"""TRN305."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from trainlint.analysis.effects.accumulation import loop_around
from trainlint.analysis.programs.steps import LoopKind
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, How
from trainlint.analysis.syntax.names import argument, constant, last_name, nodes_in, position
from trainlint.analysis.types.values import Kind
from trainlint.finding import Finding, Fix, Safety, Severity
from trainlint.rule import Rule, Triggers

_GOING_BACK = ("backward", "manual_backward", "grad", "jacobian", "hessian", "vjp", "jvp", "hvp")
"""Calls that go through a graph."""
_READERS = frozenset(
    {"print", "float", "append", "add_scalar", "log", "update", "info", "set_postfix", "isnan", "mean"}
)
"""Calls that are given a loss and only look at it."""
_NO_TENSORS = frozenset({Kind.DEVICE, Kind.DTYPE, Kind.MODULE, Kind.NUMBER, Kind.STRING, Kind.NONE, Kind.OPTIMIZER})


class GraphRetained(Rule):
    """A backward keeps its graph for another one that never comes

    ## Why
    `retain_graph=True` keeps what the forward stored, for a second backward through the same graph. Where none follows,
    the activations of this step stay until the loss is replaced, which is in the forward of the next step: both sets
    are in memory together. The argument is often added against the error "Trying to backward through the graph a
    second time", whose cause is elsewhere, and stays when that is gone.

    ## Example
    ```python
    def train(model, criterion, optimizer, loader, device):
        for inputs, targets in loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward(retain_graph=True)
            optimizer.step()
    ```

    ## Use instead
    ```python
    def train(model, criterion, optimizer, loader, device):
        for inputs, targets in loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward(retain_graph=False)
            optimizer.step()
    ```

    Where a state is carried from step to step, `.detach()` it: a backward through all steps before is rarely meant.

    ## Stays silent
    Where anything goes through a graph behind it in the same round of the loop, or may; where a value of an earlier
    round, or from before the loop, is part of the loss; for `create_graph=True`; where no loop over steps is seen in
    the function; in tests.

    ## Fix safety
    Where a module carries a state with its graph from step to step, out of sight, the next backward raises an error
    without the argument.

    ## Confirmed by
    Without the argument the program runs as before, and `torch.cuda.max_memory_allocated()` is lower.

    ## Gain
    Up to the activations of one step at the peak; not measured here. Nothing where the loss is deleted before the next
    forward.

    ## References
    - `torch.Tensor.backward`: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html
    """

    code = "TRN305"
    name = "graph-retained"
    severity = Severity.WARNING
    fix_safety = Safety.UNSAFE
    heat_matters = False
    triggers = Triggers(calls=frozenset({"backward", "manual_backward"}))
    preview = True

    def check(self, site: Site) -> Iterator[Finding]:
        """Find the last backward of a round that keeps a graph of which nothing lives on."""
        if constant(argument(site.call, "retain_graph")) is not True or is_test_path(site.path):
            return
        if argument(site.call, "create_graph") is not None:
            return
        loop = loop_around(site.block)
        if loop is None or site.file.loops.kind(loop) is not LoopKind.STEP:
            return
        if _goes_back_later(site, loop) or _carries_over(site, loop):
            return
        yield self.finding(
            site,
            "no other backward follows in this round, but the graph is kept for one: its activations stay in memory "
            "through the next forward; leave `retain_graph` out",
            confidence=0.75,
            fix=partial(_let_go, site),
        )


def _goes_back_later(site: Site, loop: Block) -> bool:
    """Whether the rest of a round goes through a graph once more, as far as can be seen."""
    outline = site.file.outline
    evidence = site.file.loops.evidence()
    for places in outline.calls.values():
        for place in places:
            call = place.node
            if call is site.node or not isinstance(call, ast.Call) or not place.block.within(loop):
                continue
            if position(call) < position(site.call):
                continue
            if last_name(call.func) in _GOING_BACK or _takes_graph(site, call):
                return True
            edge = site.file.graph.callee.get(call)
            if edge is not None and (edge.function.body in evidence or site.file.loops.summary(edge.function)):
                return True
    return False


def _takes_graph(site: Site, call: ast.Call) -> bool:
    """Whether a call out of sight is handed a value that a backward of the loop goes through."""
    if last_name(call.func) in _READERS or site.file.kinds.imported(call.func, site.block) is not None:
        return False
    flow = site.file.backwards(site.block)
    return any(isinstance(item, ast.Name) and flow.goes_through(item.id) for item in call.args)


def _carries_over(site: Site, loop: Block) -> bool:
    """Whether a backward of the loop goes through a name whose value may come from before this round."""
    flow = site.file.backwards(site.block)
    node = loop.node
    assert isinstance(node, ast.For | ast.AsyncFor | ast.While)
    drawn: set[str] = set()
    if not isinstance(node, ast.While):
        drawn = {part.id for part in nodes_in(node.iter) if isinstance(part, ast.Name)}
    for name, use in _reads(node.body):
        if name not in drawn and flow.goes_through(name) and not _is_new(site, loop, name, use):
            if site.value(use).kind not in _NO_TENSORS:
                return True
    return False


def _reads(body: list[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    """Where statements read names, and attributes of the object itself."""
    for statement in body:
        for part in nodes_in(statement):
            match part:
                case ast.Name(id=name, ctx=ast.Load()):
                    yield name, part
                case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Load()):
                    yield f"self.{name}", part


def _is_new(site: Site, loop: Block, name: str, use: ast.expr) -> bool:
    """Whether a name was surely bound in this round before it is used."""
    if name.startswith("self."):
        return False
    scope = site.block.scope.owner(name)
    return scope is not None and any(
        binding.block.within(loop) and binding.how is not How.AUGMENT and binding.position <= position(use)
        for binding in scope.bindings[name]
    )


def _let_go(site: Site) -> Fix | None:
    from trainlint.fixing.rewrite import attempt, set_keyword

    return attempt(
        lambda: Fix("Let the graph go", (set_keyword(site.source, site.call, "retain_graph", "False"),), Safety.UNSAFE)
    )
