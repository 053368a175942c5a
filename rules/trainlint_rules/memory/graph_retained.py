"""TRN305."""

from __future__ import annotations

from collections.abc import Iterable

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Confidence, Edit, Safety
from trainlint_rules.memory.idioms.iterations import outside_training_loop
from trainlint_rules.memory.idioms.retained_graphs import carried_over, creates_graph, needed_in_this_iteration


class GraphRetained(CallRule):
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
    preview = True
    on = ("backward", "manual_backward")
    sure = Confidence.LIKELY
    unless = (outside_training_loop, creates_graph, needed_in_this_iteration, carried_over)
    message = "`retain_graph=True` keeps activations that no other backward needs"
    help = "leave `retain_graph` out"
    fix_title = "Free the graph"
    fix_safety = Safety.UNSAFE

    def found(self, site: Site) -> Match | None:
        """A backward that keeps its graph."""
        return Match(site) if constant(argument(site.call, "retain_graph")) is True else None

    def edits(self, site: Site, match: Match) -> Iterable[Edit]:
        """`retain_graph=False`."""
        from trainlint.fixing.rewrite import set_keyword

        yield set_keyword(site.source, site.call, "retain_graph", "False")
