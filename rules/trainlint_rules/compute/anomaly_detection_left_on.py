"""TRN413."""

from __future__ import annotations

import ast

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant, last_name
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.symptoms import Symptom
from trainlint_rules.compute.idioms.switches import LIGHTNING_TRAINER, checks_gradients, chosen, holds_step


class AnomalyDetectionLeftOn(CallRule):
    """Autograd's anomaly detection is on for the whole training: each forward keeps its traceback

    ## Why
    Anomaly detection is a tool for finding the operation that made a NaN. It stores a Python traceback with each
    operation of the forward, and tests each gradient of the backward for NaN, which makes the host wait for the
    device at each of them. On two CPU cores a step of a small perceptron took 65 % longer with it (11.3 against
    18.6 ms, PyTorch 2.13); on a GPU it is the waiting that costs.

    Only values that are written out count, and a `with` only where a training step runs under it.

    ## Example
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader):
        torch.autograd.set_detect_anomaly(True)
        for inputs, targets in train_loader:
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader):
        for inputs, targets in train_loader:
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    To find a NaN, switch it on behind an option, for the run that shows it.

    ## Confirmed by
    `trainlint probe` notes PyTorch's warning at the line of `detect_anomaly()`; `set_detect_anomaly(True)` gives
    none. Else `torch.is_anomaly_enabled()` is true in a training step.

    ## Gain
    65 % of a step in the measurement above, on the CPU. Least where operations are few and large.

    ## References
    - Anomaly detection: https://docs.pytorch.org/docs/stable/autograd.html#anomaly-detection
    - Performance tuning guide, debugging interfaces:
      https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html#disable-debugging-apis
    """

    code = "TRN413"
    name = "anomaly-detection-left-on"
    preview = True
    confirmed_by = frozenset({Symptom.SLOW_SWITCH, Symptom.WARNING})
    warned_as = "Anomaly Detection"
    on = ("torch.autograd.*.set_detect_anomaly", "torch.autograd.*.detect_anomaly", *LIGHTNING_TRAINER)
    unless = (chosen, checks_gradients)
    message = "anomaly detection is on in every run: it stores a traceback for each operation and forces GPU syncs"
    help = "remove it, or put it behind an option"

    def found(self, site: Site) -> Match | None:
        """Anomaly detection that a literal turns on, for a training step if for a block."""
        name, call = last_name(site.call.func), site.call
        if name == "Trainer":
            return Match(site) if constant(argument(call, "detect_anomaly")) is True else None
        turned_on = constant(argument(call, "mode", 0)) is True
        if isinstance(site.statement, ast.With):
            return Match(site) if (name == "detect_anomaly" or turned_on) and holds_step(site) else None
        return Match(site) if name == "set_detect_anomaly" and turned_on else None
