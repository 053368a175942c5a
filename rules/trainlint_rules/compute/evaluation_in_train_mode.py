"""TRN417."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainlint.analysis.programs.evaluation import model_run_by
from trainlint.analysis.programs.modes import mode_calls, sets_training, switched
from trainlint.analysis.programs.steps import LoopKind
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, Place
from trainlint.analysis.syntax.names import dotted, last_name, root_name
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom

_DEPENDS_ON_MODE = lazy(r"Dropout|dropout\(|BatchNorm|DropPath|models\.(resnet|vgg|densenet|efficientnet)|resnet\d+\(")
"""Layers that do something else in evaluation mode, and networks that hold some."""
_ON_PURPOSE = lazy(
    r"monte.?carlo|mc_?dropout|uncertain|adapt|discriminator|generator|batch_?stat|update_bn|bn_|calibrat|"
    r"\.training\s*=|Lightning|Trainer\b|Accelerator|ignite|\bF\.dropout\(",
    re.IGNORECASE,
)
"""Code that wants training mode, sets it in another way, or leaves it to somebody else."""


class EvaluationInTrainMode(Rule):
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

    ## Stays silent
    Where anything in the file calls `eval()` or `train(False)` on this model, or on what may hold it; where the file
    shows no layer that depends on the mode, does not train, or is called by others who may have set the mode; for
    samples of generators and dropout that is kept on purpose.

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
    heat_matters = False
    preview = True
    confirmed_by = frozenset({Symptom.EVALUATED_IN_TRAINING_MODE})
    triggers = Triggers(loops=True)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find evaluation loops of a model that the file trains and never puts into evaluation mode."""
        loop = site.file.outline.loop_blocks[site.node]
        if site.file.loops.kind(loop) is not LoopKind.EVAL or is_test_path(site.path) or not site.file.loops.evidence():
            return
        if not site.file.says(_DEPENDS_ON_MODE) or site.file.says(_ON_PURPOSE):
            return
        if not site.file.gradients.off(loop, site.statement.lineno + 1) or not _called_here(site.file, loop):
            return
        for place in _forwards(site.file, loop):
            model = model_run_by(site.file, place)
            name = dotted(model) if model is not None else None
            if name is None or name == "self" or _may_be_evaluating(site.file, name):
                continue
            yield self.finding(
                site.at(site.node, loop),
                f"this evaluates `{name}` in training mode, with dropout and batch statistics of its own: nothing in "
                f"the file calls `{name}.eval()`",
                at=place.node,
                confidence=0.8,
            )
            return


def _called_here(file: SemanticModel, loop: Block) -> bool:
    """Whether the file itself calls the function of the loop: others may have set the mode before."""
    function = file.graph.enclosing(loop)
    if function is None:
        return True
    return any(not edge.passed for edge in file.graph.callers.get(function, ())) or bool(_trains(file, loop))


def _trains(file: SemanticModel, loop: Block) -> bool:
    """Whether the function of the loop trains, too."""
    function = file.graph.enclosing(loop)
    return function is not None and file.loops.summary(function) is not None


def _forwards(file: SemanticModel, loop: Block) -> list[Place]:
    return [
        place
        for holder, places in file.outline.calls_by_loop.items()
        if holder is not None and holder.within(loop)
        for place in places
        if model_run_by(file, place) is not None
    ]


def _may_be_evaluating(file: SemanticModel, name: str) -> bool:
    """Whether a call may put the model into evaluation mode, under this name or another."""
    for place in mode_calls(file):
        if sets_training(place) is True:
            continue
        if last_name(switched(place)) == name.rpartition(".")[2] or root_name(switched(place)) in (name, "self", ""):
            return True
        if sets_training(place) is False:
            return True  # another name may be the same model
    return False
