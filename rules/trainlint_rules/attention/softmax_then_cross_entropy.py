"""TRN709."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name
from trainlint.finding import Finding, Severity
from trainlint.rule import Rule, Triggers
from trainlint_rules.attention.idioms.built import calls_of
from trainlint_rules.attention.idioms.softened import loss_given, softened


class SoftmaxThenCrossEntropy(Rule):
    """Probabilities from a softmax given to a cross-entropy that takes the softmax itself

    ## Why
    `cross_entropy` and `nn.CrossEntropyLoss` expect raw scores, of which they take the logarithm of the softmax. Given
    probabilities, they take a softmax of a softmax: of ten classes the best loss that can be reached is 1.46 instead
    of zero, gradients vanish where the model is sure, and training is slow and ends worse, without any error.

    ## Example
    ```python
    import torch
    import torch.nn.functional as F


    def train(model, optimizer, train_loader):
        for inputs, targets in train_loader:
            probabilities = F.softmax(model(inputs), dim=1)
            loss = F.cross_entropy(probabilities, targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch
    import torch.nn.functional as F


    def train(model, optimizer, train_loader):
        for inputs, targets in train_loader:
            loss = F.cross_entropy(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    Where the softmax is the last layer of the model, take it out there and apply it where probabilities are shown;
    the predicted class is the same without.

    ## Stays silent
    For a softmax of the targets, as in distillation; for `log_softmax`, which a second one leaves as it is; where the
    loss or the model is built in another file.

    ## Confirmed by
    Two `aten::_softmax` and `aten::_log_softmax` in a row in a profile, and a loss that stays far from zero.

    ## Gain
    None in speed but for one kernel: this is a bug. The bound of the loss follows from its formula: with ten classes,
    log(1 + 9 / e) = 1.46.

    ## References
    - `nn.CrossEntropyLoss`: https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html
    """

    code = "TRN709"
    name = "softmax-then-cross-entropy"
    severity = Severity.ERROR
    heat_matters = False
    triggers = Triggers(calls=frozenset({"cross_entropy", "CrossEntropyLoss"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find calls of the loss whose predictions have been through a softmax."""
        origin = site.origin(site.call.func) or ""
        if not origin.startswith("torch.nn."):
            return
        builds = last_name(site.call.func) == "CrossEntropyLoss"
        for place in calls_of(site.file, site.place) if builds else [site.place]:
            given = loss_given(place)
            made = softened(site.file, given, place.block) if given is not None else None
            if made is None or made.function != "softmax" or given is None:
                continue
            assert isinstance(place.node, ast.Call)
            yield self.finding(
                site.at(place.node, place.block),
                f"line {made.call.lineno} takes a softmax, and this cross-entropy takes another one of it; give it "
                "the raw scores",
                confidence=0.5 if is_test_path(site.path) else 0.9,
            )
