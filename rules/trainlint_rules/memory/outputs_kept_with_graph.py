"""TRN315."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.autograd import autograd_off_early
from trainlint.finding import Confidence
from trainlint.symptoms import Symptom
from trainlint_rules.memory.idioms.iterations import REPEATED, outside_training_loop
from trainlint_rules.memory.idioms.kept_outputs import (
    appended_output,
    emptied_on_the_way,
    part_of_loss,
    trained_later,
)


class OutputsKeptWithGraph(CallRule):
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

    ## Confirmed by
    `trainlint probe` where memory grows over the measured steps: live `grad_fn` nodes grow from step to step, and this
    is the line at which the list gets longer.

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
    confirmed_by = frozenset({Symptom.GRAPH_KEPT})
    on = (".append",)
    when = REPEATED
    unless = (outside_training_loop, autograd_off_early, emptied_on_the_way, trained_later, part_of_loss)
    message = "`{list}` keeps the autograd graph of each output after its backward"
    help = "append `{output}.detach()`"

    def found(self, site: Site) -> Match | None:
        """An output that is appended to a list with its graph."""
        value = appended_output(site)
        if value is None or value.dropped_graph:
            return None
        fields = {"list": site.text(site.receiver), "output": site.text(site.call.args[0])}
        return Match(site, Confidence.LIKELY, fields)
