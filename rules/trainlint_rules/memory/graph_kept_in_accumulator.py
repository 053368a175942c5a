"""TRN304."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.autograd import autograd_off_early
from trainlint.finding import Confidence, Severity
from trainlint.rule import Triggers
from trainlint.symptoms import Symptom
from trainlint_rules.memory.idioms.iterations import REPEATED
from trainlint_rules.memory.idioms.kept_graphs import (
    added_value,
    is_freed,
    is_output_of_step,
    lives,
    new_in_each_iteration,
    outside_batch_loop,
    sure_of_graph,
    trained_as_sum,
)
from trainlint_rules.memory.idioms.lifetimes import Lifetime

_UNTIL_RESET = "`{holder}` keeps the graph of `{added}` until it is reset"
_ACTIVATIONS = "`{holder}` keeps the graph of `{added}`, and with it the activations of every batch"


class GraphKeptInAccumulator(CallRule):
    """A sum or list that outlives the step holds the loss with its autograd graph

    ## Why
    A loss remembers how it was computed. What is added to a running total, or appended to a list, keeps that memory
    alive as long as the total or the list lives. Where no backward ran, all activations of each batch stay on the
    GPU, until it is full. After a backward the activations are gone, but the nodes of each step's graph stay:
    CPU memory grows by some hundred kilobytes a step, and freeing them all at once takes long.

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

    `.detach()` costs nothing and waits for nothing; `.item()` would make the CPU wait in each step. A sum that is
    reset with each window of gradient accumulation keeps few nodes, and for a short while: that is only advice.

    ## Confirmed by
    `trainlint probe` where memory grows over the measured steps: live `grad_fn` nodes grow from step to step, and this
    is the line at which the list gets longer, or the sum another tensor.

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
    confirmed_by = frozenset({Symptom.GRAPH_KEPT})
    on = (".append",)
    also = Triggers(accumulations=True)
    when = REPEATED
    unless = (
        outside_batch_loop,
        autograd_off_early,
        new_in_each_iteration,
        trained_as_sum,
    )
    message = "`{holder}` keeps the graph of `{added}` after its backward, and memory grows{often}"
    help = "call `.detach()` on `{added}` before you {verb} it"

    def found(self, site: Site) -> Match | None:
        """A value with a graph that is added to a sum or a list."""
        item = added_value(site)
        if item is None:
            return None
        verb = "append" if item.is_list else "add"
        fields = {"holder": site.text(item.holder), "added": site.text(item.added), "verb": verb, "node": item.added}
        if not is_freed(site, item.added):
            if is_output_of_step(site, item):
                return Match(site, Confidence.LIKELY, fields)
            sure = sure_of_graph(site, item.added)
            return Match(site, sure, fields, message=_ACTIVATIONS) if sure is not None else None
        if lives(site, item.holder) is Lifetime.WINDOW:
            return Match(site, Confidence.LIKELY, fields, message=_UNTIL_RESET, severity=Severity.ADVICE)
        return Match(site, fields=fields)
