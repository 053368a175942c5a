"""TRN526."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from trainlint.analysis.programs.loops import describe_loop
from trainlint.analysis.programs.steps import LoopKind
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.names import dotted
from trainlint.analysis.types.backward import held_by
from trainlint.finding import Finding, Fix, Safety, Severity
from trainlint.rule import Rule, Triggers
from trainlint_rules.distributed.idioms.data_parallel import ddp_call, inner_of_ddp


class DdpModuleBypassed(Rule):
    """A training forward through `ddp.module`, after which gradients are not reduced

    ## Why
    The forward of DistributedDataParallel prepares the reduction of gradients; the module inside knows nothing of it.
    A loss that is computed by `ddp.module(...)` leaves each process with the gradients of its own batch: the processes
    take different steps, and their models drift apart without an error.

    ## Example
    ```python
    from torch.nn.parallel import DistributedDataParallel


    def train(network, criterion, optimizer, loader, device):
        model = DistributedDataParallel(network, device_ids=[device])
        for inputs, targets in loader:
            loss = criterion(model.module(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    from torch.nn.parallel import DistributedDataParallel


    def train(network, criterion, optimizer, loader, device):
        model = DistributedDataParallel(network, device_ids=[device])
        for inputs, targets in loader:
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Stays silent
    In evaluation and wherever autograd is off; where the result reaches no backward; for other methods of the module;
    for copies such as `ema.module`; in a step that calls the wrapper, too.

    ## Fix safety
    The fix calls the wrapper. Gradients are then reduced: training changes, to what it was meant to be.

    ## Confirmed by
    Parameters that differ between processes after a few steps.

    ## Gain
    Correct training. Nothing with one process. That gradients differ without the wrapper is tested with two processes.

    ## References
    - `DistributedDataParallel`, on `forward` and the reduction of gradients:
      https://docs.pytorch.org/docs/stable/notes/ddp.html#internal-design
    """

    code = "TRN526"
    name = "ddp-module-bypassed"
    severity = Severity.ERROR
    fix_safety = Safety.UNSAFE
    heat_matters = False
    preview = True
    triggers = Triggers(loops=True)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find forwards of the inner module in a training loop whose result reaches a backward."""
        loop = site.file.outline.loop_blocks.get(site.node)
        if loop is None or site.file.loops.kind(loop) not in (LoopKind.STEP, LoopKind.MICRO):
            return
        places = site.file.outline.calls_by_loop.get(loop, [])
        forwards = [place for place in places if isinstance(place.node, ast.Call)]
        if any(_calls_wrapper(site, place) for place in forwards):
            return
        for place in forwards:
            model = _bypassed(site, place)
            if model is None or site.file.gradients.off(place.block) or not _reaches_backward(site, place):
                continue
            yield self.finding(
                site.at(place.node, place.block),
                f"this forward bypasses DDP in the training loop ({describe_loop(loop)}), so its gradients are not "
                "reduced and the processes drift apart; call the wrapper itself",
                confidence=0.9,
                fix=partial(_fix, site, place, model),
            )


def _called(call: ast.Call) -> ast.expr:
    """What a call runs, be it as `model(...)` or as `model.forward(...)`."""
    if isinstance(call.func, ast.Attribute) and call.func.attr == "forward":
        return call.func.value
    return call.func


def _calls_wrapper(site: Site, place: Place) -> bool:
    assert isinstance(place.node, ast.Call)
    func = _called(place.node)
    return isinstance(func, ast.Name | ast.Attribute) and ddp_call(site.file, func, place.block) is not None


def _bypassed(site: Site, place: Place) -> ast.expr | None:
    """The inner module that a call runs, where it is one of a model in DDP."""
    assert isinstance(place.node, ast.Call)
    func = _called(place.node)
    if not isinstance(func, ast.Name | ast.Attribute) or inner_of_ddp(site.file, func, place.block) is None:
        return None
    return func


def _reaches_backward(site: Site, place: Place) -> bool:
    """Whether a backward goes through what a call returns."""
    backwards = site.file.backwards(place.block)
    statement = place.statement
    if not isinstance(statement, ast.Assign):
        return False
    names = [name for target in statement.targets for name in held_by(target)]
    return any(backwards.goes_through(name) or backwards.starts_from(name) for name in names)


def _fix(site: Site, place: Place, model: ast.expr) -> Fix | None:
    if not isinstance(model, ast.Attribute) or dotted(model.value) is None or model.attr != "module":
        return None
    assert isinstance(place.node, ast.Call)
    func, wrapper = place.node.func, ast.unparse(model.value)
    from trainlint.fixing.rewrite import attempt, replace_expression

    def make() -> Fix:
        import libcst as cst

        edit = replace_expression(site.source, func, cst.parse_expression(wrapper))
        return Fix("Call the wrapper", (edit,), Safety.UNSAFE)

    return attempt(make)
