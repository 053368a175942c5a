"""TRN414."""

from __future__ import annotations

from trainlint.analysis.programs.modes import sets_training, switched
from trainlint.analysis.site import Site
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Confidence, Severity
from trainlint.symptoms import Symptom
from trainlint_rules.compute.idioms.training_modes import set_back, trained_epochs


class ModelLeftInEval(CallRule):
    """After the first evaluation training goes on in evaluation mode: nothing calls `train()` again

    ## Why
    `model.eval()` switches dropout off and makes batch normalization use its running statistics, until somebody calls
    `model.train()`. Where that is missing, the first epoch trains as meant, and all others train another model:
    without dropout, and with statistics that stay as they were after the first epoch. There is no error, only worse
    results.

    Other models than the one that is trained, such as teachers and averages, and models in evaluation mode from the
    start, as frozen statistics want it, are no finding.

    ## Example
    ```python
    import torch


    def fit(model, criterion, optimizer, train_loader, test_loader, epochs):
        for epoch in range(epochs):
            for inputs, targets in train_loader:
                loss = criterion(model(inputs), targets)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                correct = sum((model(inputs).argmax(1) == targets).sum() for inputs, targets in test_loader)
    ```

    ## Use instead
    ```python
    import torch


    def fit(model, criterion, optimizer, train_loader, test_loader, epochs):
        for epoch in range(epochs):
            model.train()
            for inputs, targets in train_loader:
                loss = criterion(model(inputs), targets)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                correct = sum((model(inputs).argmax(1) == targets).sum() for inputs, targets in test_loader)
    ```

    ## Confirmed by
    `trainlint probe` counts the backwards that go through a forward of the model after this line has put it into
    evaluation mode, if the measured steps are among those.

    ## Gain
    A right result; no figure can be given. Nothing changes for models without dropout and batch normalization.

    ## References
    - `torch.nn.Module.eval`: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.eval
    """

    code = "TRN414"
    name = "model-left-in-eval"
    severity = Severity.ERROR
    preview = True
    confirmed_by = frozenset({Symptom.TRAINED_IN_EVALUATION_MODE})
    on = (".eval",)
    sure = Confidence.LIKELY
    unless = (set_back,)
    message = (
        "`{model}` stays in evaluation mode: the next epoch trains without dropout and with frozen batch statistics"
    )
    help = "call `{model}.train()` before each epoch"

    def found(self, site: Site) -> Match | None:
        """`eval()` in a loop over epochs, of the model that it trains."""
        if sets_training(site.place) is not False or not trained_epochs(site):
            return None
        return Match(site, fields={"model": site.text(switched(site.place))})
