"""TRN709."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.analysis.site import Site
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Severity
from trainlint_rules.attention.idioms.built import CROSS_ENTROPY, losses_at
from trainlint_rules.attention.idioms.softened import loss_given, softened


class SoftmaxThenCrossEntropy(CallRule):
    """Probabilities from a softmax given to a cross-entropy that takes the softmax itself

    ## Why
    `cross_entropy` and `nn.CrossEntropyLoss` expect raw scores, of which they take the logarithm of the softmax. Given
    probabilities, they take a softmax of a softmax: of ten classes the best loss that can be reached is 1.46 instead of
    zero, gradients vanish where the model is sure, and training is slow and ends worse, without any error. A softmax of
    the targets, as in distillation, is right, and a second softmax leaves a `log_softmax` as it is. Losses and models
    that are built in another file are not followed.

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
    on = CROSS_ENTROPY
    message = "this cross-entropy takes the softmax of a softmax (line {line})"
    help = "pass the raw scores"

    def found(self, site: Site) -> Iterator[Match]:
        """Calls of the loss whose predictions have been through a softmax."""
        for loss in losses_at(site):
            given = loss_given(loss.place)
            made = softened(loss.file, given, loss.block) if given is not None else None
            if made is not None and made.function == "softmax":
                yield Match(loss, fields={"line": made.call.lineno})
