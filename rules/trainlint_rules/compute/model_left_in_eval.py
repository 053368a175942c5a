"""TRN414."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.programs.evaluation import forwards_with_graph, model_run_by
from trainlint.analysis.programs.modes import mode_calls, sets_training, switched
from trainlint.analysis.programs.steps import LoopKind
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, BlockKind, Place
from trainlint.analysis.syntax.names import dotted, last_name
from trainlint.finding import Finding, Severity
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom

_NOT_TRAINING = ("children", "modules", "named_modules", "apply")
"""Ways to set the mode of a model's parts one by one."""


class ModelLeftInEval(Rule):
    """After the first evaluation training goes on in evaluation mode: nothing calls `train()` again

    ## Why
    `model.eval()` switches dropout off and makes batch normalization use its running statistics, until somebody calls
    `model.train()`. Where that is missing, the first epoch trains as meant, and all others train another model:
    without dropout, and with statistics that stay as they were after the first epoch. There is no error, only worse
    results.

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

    ## Stays silent
    Where anything in the file puts the model, or a part of it, back into training mode, or may do so, as a function
    that is given the model may; for other models than the one that is trained, such as teachers and averages; where
    the model is in evaluation mode from the start, as frozen statistics want it.

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
    heat_matters = False
    preview = True
    confirmed_by = frozenset({Symptom.TRAINED_IN_EVALUATION_MODE})
    triggers = Triggers(calls=frozenset({"eval"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find evaluations between epochs after which nothing calls `train()`."""
        if sets_training(site.place) is not False or is_test_path(site.path):
            return
        model = switched(site.place)
        name = dotted(model)
        if name is None or name in ("self", "cls"):
            return
        for epochs, line in _epochs_around(site):
            if _trains_before(site.file, epochs, name, line) and not _may_be_restored(site.file, epochs, name):
                yield self.finding(
                    site,
                    f"`{name}` stays in evaluation mode: the next epoch trains it without dropout and with frozen "
                    f"batch statistics; call `{name}.train()` before each epoch",
                    confidence=0.85,
                )
                return


def _epochs_around(site: Site) -> Iterator[tuple[Block, int]]:
    """The loops over epochs around the call, each with the line at which it leads there."""
    yield from _epoch_loops(site.file, site.block, site.statement.lineno)
    function = site.function
    if function is not None:
        for edge in site.file.graph.callers.get(function, ()):
            if not edge.passed:
                yield from _epoch_loops(site.file, edge.place.block, edge.place.statement.lineno)


def _epoch_loops(file: SemanticModel, block: Block, line: int) -> Iterator[tuple[Block, int]]:
    for around in block.outwards():
        if around.kind is BlockKind.FUNCTION:
            return
        if around.kind is BlockKind.LOOP and file.loops.kind(around) is LoopKind.EPOCH:
            yield around, line


def _trains_before(file: SemanticModel, epochs: Block, name: str, line: int) -> bool:
    """Whether an epoch runs the model with a graph, in a loop over steps that stands above the line."""
    for place in forwards_with_graph(file, epochs):
        model = model_run_by(file, place)
        if model is None or dotted(model) != name or place.statement.lineno >= line:
            continue
        around = place.block.outwards()
        if any(item.kind is BlockKind.LOOP and file.loops.kind(item) is LoopKind.STEP for item in around):
            return True
    return False


def _may_be_restored(file: SemanticModel, epochs: Block, name: str) -> bool:
    """Whether the file sets another mode than evaluation anywhere, or hands the model to who may."""
    if any(sets_training(place) is not False for place in mode_calls(file)):
        return True
    if any(file.outline.calls.get(word) for word in _NOT_TRAINING):
        return True
    return any(place.block.within(epochs) and _hands_over(file, place, name) for place in file.outline.all_calls())


def _hands_over(file: SemanticModel, place: Place, name: str) -> bool:
    """Whether a function that the file does not hold is given the model."""
    call = place.node
    assert isinstance(call, ast.Call)
    if call in file.graph.callee or last_name(call.func) in ("print", "len", "isinstance", "save", "deepcopy"):
        return False
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return any(dotted(item) == name for item in given)
