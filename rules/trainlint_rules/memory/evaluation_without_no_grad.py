"""TRN303."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import replace

from trainlint.analysis.site import Site
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Edit, Safety, Severity
from trainlint.rule import Triggers
from trainlint.symptoms import Symptom
from trainlint_rules.memory.idioms.arrays import result_becomes_array
from trainlint_rules.memory.idioms.evaluation_loops import LEFT_ALONE
from trainlint_rules.memory.idioms.inference import READS
from trainlint_rules.memory.idioms.needless_graphs import Use, needless_graphs

_INSTEAD = "run the forward under `torch.no_grad()` instead"
_FACTS = {
    Use.ACTION: "`{model}` chooses an action with autograd on and records a graph that nothing trains",
    Use.TARGET: "`{model}` is a copy that no optimizer trains, but a graph through it is recorded",
    Use.TOGGLED: "`requires_grad` is set for each parameter before and after an evaluation, for frozen ones too",
    Use.VOLATILE: "PyTorch ignores `volatile` since 0.4: `{model}` records a graph",
    Use.LOOK: "`{model}` records a graph that nothing uses: its result is detached or only read",
}


class EvaluationWithoutNoGrad(CallRule):
    """An evaluation loop runs the model with autograd on

    ## Why
    With autograd on, each forward stores what a backward would need, for a backward that never comes. Evaluation then
    needs the memory of training, so its batches must be smaller than they could be, and each operation records a
    node of the graph. `model.eval()` does not change this: it only switches dropout and batch normalisation.

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

    `torch.inference_mode()` saves a little more, but what it returns can never meet autograd again: it suits
    programs that only infer.

    An evaluation need not be a loop over a loader. Found, too: the forward that chooses an action in a loop which acts
    in an environment; targets from a network that is only ever copied into, and that no optimizer of the file trains;
    a forward between `model.eval()` and `model.train()`; a forward whose result is cut off from its graph wherever it
    is used (`.argmax()`, `.detach()`, a saved image); `volatile=True`, which PyTorch ignores since 0.4; and
    `requires_grad` taken from each parameter and given back around a forward.

    Autograd may be off in any form: a block, a decorator, the project's own decorator, an exit stack, all callers, the
    model's own method, a hook that Lightning runs without autograd. A frozen model records nothing. A module's own
    parts are left to its caller, and a policy that is trained through a copy of its critic needs that copy's graph.
    One forward of a script outside of loops costs little.

    `.numpy()` on a result that has a graph raises an error, which `torch.no_grad()` cures: in an evaluation loop it is
    no sign that autograd is off, and the loop is reported.

    A model whose forward takes gradients itself, as for forces or a penalty, is left alone where that is in sight.

    ## Fix safety
    What takes gradients inside of the wrapped code, fails or computes something else without autograd, and that code
    need not be in sight: a module or a base class of a library, a hook, a callback, a metric, a `forward` that somebody
    assigned. Results that leave the function lose their graph, and targets the gradients that nobody used. Of
    PyTorch's own transformer layers autograd chooses the kernel, with other rounding. So read what the model and its
    callers do before you apply it. A generator gets the decorator: a block around a `yield` would switch autograd off
    in the code that iterates, too. There is no fix around an `await`, for the same reason.

    ## Confirmed by
    `trainlint probe` times the forwards at this line of a model in `eval()` that record a graph which no backward asks
    for; autograd's part of it is less. `torch.is_grad_enabled()` is true in the forward of a model whose `training` is
    false, and its output has a `grad_fn` that no backward asks for.

    ## Gain
    The memory of all activations of the evaluated batch, and the time of recording the graph: no speed where the batch
    size stays as it is. Not measured here.

    ## References
    - Locally disabling gradient computation:
      https://docs.pytorch.org/docs/stable/notes/autograd.html#locally-disabling-gradient-computation
    - `torch.no_grad`: https://docs.pytorch.org/docs/stable/generated/torch.no_grad.html
    """

    code = "TRN303"
    name = "evaluation-without-no-grad"
    confirmed_by = frozenset({Symptom.EVALUATION_WITH_GRADIENTS})
    on = ("eval", "load_state_dict", "Variable", *sorted(READS))
    also = Triggers(loops=True)
    unless = (*LEFT_ALONE, result_becomes_array)
    message = "`{model}` evaluates with autograd on and stores activations that no backward uses"
    help = "run it under `torch.no_grad()`"
    fix_title = "Switch autograd off"
    fix_safety = Safety.UNSAFE

    def found(self, site: Site) -> Iterator[Match]:
        """Forwards that record graphs which nothing trains."""
        for graph in needless_graphs(site):
            fields = {"model": site.text(graph.model), "scope": graph.scope}
            match = Match(graph.site, graph.sure, fields, message=_FACTS.get(graph.use))
            is_toggled = graph.use is Use.TOGGLED
            yield replace(match, help=_INSTEAD, severity=Severity.ADVICE) if is_toggled else match

    def edits(self, site: Site, match: Match) -> Iterable[Edit]:
        """`torch.no_grad()` as a decorator of the function or around the statement."""
        from trainlint.fixing.rewrite import ensure_import, insert_decorator, wrap_in_with

        scope = match["scope"]
        decorated = scope if isinstance(scope, ast.FunctionDef) else None
        torch, imports = ensure_import(site.source, site.file.tree, "torch", before=decorated)
        if isinstance(scope, ast.FunctionDef):
            if any("jit" in ast.unparse(item) for item in scope.decorator_list):
                return ()  # TorchScript compiles the function as it is written
            return (*imports, insert_decorator(site.source, scope, f"{torch}.no_grad()"))
        wrapped = wrap_in_with(site.source, [scope], f"with {torch}.no_grad():") if scope is not None else None
        return (*imports, *wrapped) if wrapped is not None else ()
