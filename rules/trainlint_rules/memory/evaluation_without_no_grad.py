"""TRN303."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.programs.evaluation import (
    forwards_with_graph,
    is_read_detached,
    results_of,
    steps_environment,
)
from trainlint.analysis.site import Site
from trainlint.analysis.types.backward import LEAVES
from trainlint.contract.bases import LoopRule
from trainlint.contract.declared_rule import Match
from trainlint.symptoms import Symptom
from trainlint_rules.memory.idioms.arrays import result_becomes_array
from trainlint_rules.memory.idioms.evaluation_loops import (
    evaluation_loop,
    gradients_wanted,
    is_trained,
    sure_of_evaluation,
)

_ACTION = "`{model}` chooses an action with autograd on and records a graph that nothing trains"


class EvaluationWithoutNoGrad(LoopRule):
    """An evaluation loop runs the model with autograd on

    ## Why
    With autograd on, each forward stores what a backward pass would need, although none follows. Evaluation then needs
    the memory of training, so its batches must be smaller than they could be, and each operation records a node of the
    graph. `model.eval()` does not change this: it only switches dropout and batch normalisation.

    ## Example
    ```python
    import torch
    from torch import nn


    class Classifier(nn.Module):
        def __init__(self):
            super().__init__()
            self.last = nn.Linear(784, 10)

        def forward(self, images):
            return self.last(images.flatten(1))


    def evaluate(model, val_loader, device):
        model.eval()
        correct = 0
        for inputs, targets in val_loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            correct += (model(inputs).argmax(dim=1) == targets).sum()
        return correct.item()


    def report(val_loader, device):
        print(evaluate(Classifier().to(device), val_loader, device))
    ```

    ## Use instead
    ```python
    import torch
    from torch import nn


    class Classifier(nn.Module):
        def __init__(self):
            super().__init__()
            self.last = nn.Linear(784, 10)

        def forward(self, images):
            return self.last(images.flatten(1))


    @torch.no_grad()
    def evaluate(model, val_loader, device):
        model.eval()
        correct = 0
        for inputs, targets in val_loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            correct += (model(inputs).argmax(dim=1) == targets).sum()
        return correct.item()


    def report(val_loader, device):
        print(evaluate(Classifier().to(device), val_loader, device))
    ```

    `torch.inference_mode()` saves a little more, but autograd can never use its results again: it suits programs that
    only infer.

    On a generator, use the decorator: a block around a `yield` would also switch autograd off in the code that
    iterates. In an `async` function, use a block without an `await` in it: the decorator has no effect there.

    The rule also reports the forward that chooses an action in a loop over an environment, where nothing trains its
    result. Autograd counts as off in any form: a block, a decorator (also the project's own), an exit stack, all
    callers, the model's own method, a Lightning hook that runs without autograd. A frozen model records nothing.

    `.numpy()` raises an error on a result that has a graph. In an evaluation loop this is no sign that autograd is off,
    and the loop is reported.

    ## Confirmed by
    `trainlint probe` times the forwards at this line of a model in `eval()` that record a graph which no backward asks
    for; autograd's part of it is less. `torch.is_grad_enabled()` is true in the forward of a model whose `training` is
    false, and its output has a `grad_fn` that no backward asks for.

    ## Gain
    The memory of all activations of the evaluated batch, and the time of recording the graph. You gain speed only if
    you also raise the batch size. Not measured here.

    ## References
    - Locally disabling gradient computation:
      https://docs.pytorch.org/docs/stable/notes/autograd.html#locally-disabling-gradient-computation
    - `torch.no_grad`: https://docs.pytorch.org/docs/stable/generated/torch.no_grad.html
    """

    code = "TRN303"
    name = "evaluation-without-no-grad"
    confirmed_by = frozenset({Symptom.EVALUATION_WITH_GRADIENTS})
    unless = (gradients_wanted, result_becomes_array)
    message = "`{model}` evaluates with autograd on and stores activations that no backward uses"
    help = "run it under `torch.no_grad()`"

    def found(self, site: Site) -> Iterator[Match]:
        """The first forward of an evaluation loop; in a loop over an environment, forwards that choose actions."""
        forwards = forwards_with_graph(site.file, site.loop)
        if evaluation_loop(site) is not None:
            for place in forwards[:1]:
                sure = sure_of_evaluation(site)
                yield Match(site.at(place.node, site.loop), sure, {"model": _model(site, place.node)})
        elif steps_environment(site.file, site.loop) and not site.block.loops():
            for place in forwards:
                results = results_of(place) - {"_"}
                read = isinstance(place.statement, ast.Assign) and any(is_read_detached(site.loop, n) for n in results)
                if read and not _may_be_trained(site, results):
                    reported = Site(site.file, place).at(place.statement)
                    yield Match(reported, fields={"model": _model(site, place.node)}, message=_ACTION)


def _model(site: Site, forward: ast.AST) -> str:
    assert isinstance(forward, ast.Call)
    return site.text(forward.func)


def _may_be_trained(site: Site, names: set[str]) -> bool:
    """Whether a backward goes through what these names hold, or whether it is handed to code that might."""
    flow = site.file.backwards(site.block)
    return LEAVES in names or is_trained(site, names) or any(flow.leaves(name) for name in names)
