"""TRN415."""

from __future__ import annotations

from collections.abc import Iterable

from trainlint.analysis.site import Site
from trainlint.analysis.tables.signs import HOOKS, ONNX, REMOTE, TRACES
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.names import shows
from trainlint.finding import Confidence, Edit, Heat, Safety
from trainlint_rules.compute.idioms.direct_forwards import (
    hands_on,
    is_instance,
    item_of_slice,
    sure_module,
)


class ForwardCalledDirectly(CallRule):
    """`model.forward(x)` leaves out the hooks that `model(x)` runs

    ## Why
    Calling a module runs its forward and all hooks registered on it. `fully_shard` gathers weights in such hooks,
    and profilers, feature extractors, pruning and the older `weight_norm` use them. A direct call
    of `forward` skips them without a word: sharded weights are not gathered, extracted features stay empty.

    `super().forward(...)`, `self.forward(...)` and calls on a class are no finding, nor is what is not surely a
    module: autograd functions and scalers have a `forward`, too.

    ## Example
    ```python
    import torch


    def train(model: torch.nn.Module, criterion, optimizer, train_loader):
        for inputs, targets in train_loader:
            loss = criterion(model.forward(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch


    def train(model: torch.nn.Module, criterion, optimizer, train_loader):
        for inputs, targets in train_loader:
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Fix safety
    The fix calls the module. Where hooks are registered they now run, which is what they are for, and what the
    program computes may change by it.

    ## Confirmed by
    A hook registered with `register_forward_hook` on this module is not called in a step.

    ## Gain
    Cannot be given as a figure: this is about what runs, not how fast. Nothing changes where there are no hooks.

    ## References
    - `torch.nn.Module.forward`, with its note on hooks:
      https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.forward
    """

    code = "TRN415"
    name = "forward-called-directly"
    preview = True
    on = (".forward",)
    unless = (
        hands_on,
        item_of_slice,
        shows("the code names hooks or other work of a call", HOOKS),
        shows("the file traces modules, or runs remote ones", TRACES, REMOTE, ONNX),
    )
    message = "`{model}.forward(...)` skips the hooks that `{model}(...)` runs, those of FSDP among them"
    help = "call `{model}(...)`"
    fix_title = "Call the module"
    fix_safety = Safety.UNSAFE

    def found(self, site: Site) -> Match | None:
        """A call of the forward of what is a module, with arguments."""
        model = site.receiver
        given = bool(site.call.args or site.call.keywords)
        sure = sure_module(site, model) if given and is_instance(site, model) else None
        if sure is None:
            return None
        seldom = site.heat.heat in (Heat.ONCE, Heat.RARE)  # a trace, a first call: no hooks of training run there
        return Match(site, Confidence.POSSIBLE if seldom else sure, {"model": site.text(model)})

    def edits(self, site: Site, match: Match) -> Iterable[Edit]:
        """The module in place of its method."""
        import libcst as cst

        from trainlint.fixing.rewrite import expression, replace_expression

        method = expression(site.source, site.call.func)
        if isinstance(method, cst.Attribute):
            yield replace_expression(site.source, site.call.func, method.value)
