"""TRN405."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant, last_name
from trainlint.analysis.tables.optimizers import OPTIMIZER_NAME
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom
from trainlint_rules.compute.idioms.precision import autocast_around

_ENGINE = lazy(r"accelerator|fabric|engine|booster", re.IGNORECASE)
"""Whose `backward` is more than that of a tensor, and leaves autocast where it should."""


class BackwardInsideAutocast(Rule):
    """The backward runs inside the autocast context that is meant for the forward

    ## Why
    The backward of an operation runs in the type that autocast chose for its forward, whether a context is open or
    not, so the context adds nothing; and what a backward calls by itself, such as an own autograd function, a hook or
    a gradient penalty, is cast a second time, to types that its forward did not see. PyTorch's documentation advises
    against it.

    ## Example
    ```python
    import torch


    def train(model, criterion, optimizer, loader):
        for inputs, targets in loader:
            inputs = inputs.cuda(non_blocking=True)
            targets = targets.cuda(non_blocking=True)
            optimizer.zero_grad()
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = criterion(model(inputs), targets)
                loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, optimizer, loader):
        for inputs, targets in loader:
            inputs = inputs.cuda(non_blocking=True)
            targets = targets.cuda(non_blocking=True)
            optimizer.zero_grad()
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = criterion(model(inputs), targets)
            loss.backward()
            optimizer.step()
    ```

    ## Stays silent
    In contexts with `enabled=False`; for the `backward` of Accelerate, Fabric and other engines; where a graph of the
    gradients is made, whose own forward wants the context; in an autograd function's own `backward`; in tests,
    unless they train.

    ## Confirmed by
    `trainlint probe` counts the backwards at this line that run under autocast. Else
    `torch.is_autocast_enabled("cuda")` is true in a hook of a parameter's gradient.

    ## Gain
    Nothing where a graph holds PyTorch's own operations only: they compute the same either way. Elsewhere backward
    code is no longer cast behind its author's back; not measured here.

    ## References
    - `torch.autocast`, "Backward passes under autocast are not recommended":
      https://docs.pytorch.org/docs/stable/amp.html#autocasting
    """

    code = "TRN405"
    name = "backward-inside-autocast"
    severity = Severity.WARNING
    heat_matters = False
    confirmed_by = frozenset({Symptom.BACKWARD_IN_AUTOCAST})
    triggers = Triggers(calls=frozenset({"backward"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find a tensor's backward in the block of an autocast context."""
        autocast = autocast_around(site.file, site.block)
        if autocast is None or autocast.enabled is False or not site.file.loop_reader.proves_step(site.place):
            return
        if is_test_path(site.path) and not site.heat.heat.in_step:
            return  # tests look at what happens here
        owner = last_name(getattr(site.call.func, "value", site.call.func))
        if _ENGINE.search(owner) or OPTIMIZER_NAME.search(owner) or _makes_graph(site):
            return
        yield self.finding(
            site,
            "this backward runs under autocast, which is meant for the forward: operations go back in the type of "
            "their forward anyway; move it behind the block",
            confidence=0.9,
        )


def _makes_graph(site: Site) -> bool:
    given = argument(site.call, "create_graph")
    return given is not None and constant(given) is not False
