"""TRN417."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.analysis.tables.signs import ACCELERATOR, ADVERSARIES, FRAMEWORKS, MODE_DEPENDENT, MODE_ON_PURPOSE
from trainlint.contract.bases import LoopRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.names import shows, shows_none
from trainlint.finding import Confidence, Severity
from trainlint.symptoms import Symptom
from trainlint_rules.compute.idioms.training_modes import (
    assigns_mode,
    called_by_others,
    evaluated,
    may_evaluate,
    model_name,
    trains_nothing,
)


class EvaluationInTrainMode(LoopRule):
    """An evaluation runs a model with dropout or batch normalization, and nothing calls `eval()` before

    ## Why
    In training mode dropout throws away a part of what the model knows, so that scores are too low and change from
    run to run. Batch normalization takes the statistics of each test batch, and mixes them into the running ones:
    test data leak into the model.

    ## Example
    ```python
    import torch
    from torch import nn


    class Classifier(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.Sequential(nn.Linear(64, 64), nn.Dropout(0.5), nn.Linear(64, 10))

        def forward(self, inputs):
            return self.layers(inputs)


    def main(train_loader, test_loader):
        model = Classifier()
        optimizer = torch.optim.AdamW(model.parameters())
        for inputs, targets in train_loader:
            loss = nn.functional.cross_entropy(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        correct = 0
        with torch.no_grad():
            for inputs, targets in test_loader:
                correct += (model(inputs).argmax(1) == targets).sum()
    ```

    ## Use instead
    ```python
    import torch
    from torch import nn


    class Classifier(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.Sequential(nn.Linear(64, 64), nn.Dropout(0.5), nn.Linear(64, 10))

        def forward(self, inputs):
            return self.layers(inputs)


    def main(train_loader, test_loader):
        model = Classifier()
        optimizer = torch.optim.AdamW(model.parameters())
        for inputs, targets in train_loader:
            loss = nn.functional.cross_entropy(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        correct = 0
        model.eval()
        with torch.no_grad():
            for inputs, targets in test_loader:
                correct += (model(inputs).argmax(1) == targets).sum()
    ```

    ## Confirmed by
    `trainlint probe` counts the forwards at this line that run without autograd on a model in training mode.

    ## Gain
    A right score; no figure can be given.

    ## References
    - `torch.nn.Module.eval`: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.eval
    - Evaluation mode and no_grad:
      https://docs.pytorch.org/docs/stable/notes/autograd.html#evaluation-mode-nn-module-eval
    """

    code = "TRN417"
    name = "evaluation-in-train-mode"
    severity = Severity.ERROR
    preview = True
    confirmed_by = frozenset({Symptom.EVALUATED_IN_TRAINING_MODE})
    sure = Confidence.LIKELY
    unless = (
        trains_nothing,
        shows_none("the file shows no layer that depends on the mode", MODE_DEPENDENT),
        shows("the file keeps dropout or batch statistics in evaluation on purpose", MODE_ON_PURPOSE),
        shows("the file trains a generator or a discriminator", ADVERSARIES),
        shows("a framework may set the mode", FRAMEWORKS, ACCELERATOR),
        assigns_mode,
        called_by_others,
        may_evaluate,
    )
    message = "this evaluates `{model}` in training mode, with dropout and with batch statistics of the test data"
    help = "call `{model}.eval()` before this loop, and `{model}.train()` before training goes on"

    def found(self, site: Site) -> Match | None:
        """A forward of a model in a loop that evaluates without gradients."""
        forward = evaluated(site)
        return Match(forward, fields={"model": model_name(forward)}) if forward is not None else None
