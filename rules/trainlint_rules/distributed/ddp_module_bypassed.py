"""TRN526."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from trainlint.analysis.programs.steps import LoopKind
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import dotted
from trainlint.contract.bases import LoopRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.autograd import autograd_off
from trainlint.finding import Edit, Safety, Severity
from trainlint_rules.distributed.idioms.wrapping.bypassed_wrappers import (
    bypassing,
    calls_wrapper,
    reaches_no_backward,
)


class DdpModuleBypassed(LoopRule):
    """A training forward through `ddp.module`, after which gradients are not reduced

    ## Why
    The forward of DistributedDataParallel prepares the reduction of gradients; the module inside knows nothing of it.
    A loss that is computed by `ddp.module(...)` leaves each process with the gradients of its own batch: the processes
    take different steps, and their models drift apart without an error. Other methods of the module, and copies such
    as `ema.module`, are fine.

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
    preview = True
    in_tests = True
    unless = (calls_wrapper, autograd_off, reaches_no_backward)
    message = "`{text}` bypasses DDP: its gradients are not reduced, and the ranks drift apart"
    help = "call the DDP model itself instead of its `module`"
    fix_title = "Call the wrapper"
    fix_safety = Safety.UNSAFE

    def found(self, site: Site) -> Iterator[Match]:
        """Forwards of the inner module in a training loop."""
        if site.file.loops.kind(site.loop) in (LoopKind.STEP, LoopKind.MICRO):
            for at, module in bypassing(site.file, site.loop):
                yield Match(at, fields={"module": module})

    def edits(self, site: Site, match: Match) -> Iterable[Edit]:
        """The wrapper, where it is written out: `model` for `model.module`."""
        import libcst as cst

        from trainlint.fixing.rewrite import replace_expression

        match match["module"]:
            case ast.Attribute(value=wrapper, attr="module") if dotted(wrapper) is not None:
                new = cst.parse_expression(ast.unparse(wrapper))
                yield replace_expression(site.source, match.site.call.func, new)
