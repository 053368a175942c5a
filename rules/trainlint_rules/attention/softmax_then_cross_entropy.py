"""TRN709."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, How
from trainlint.analysis.syntax.names import argument, last_name, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.tables.module_methods import RETURN_SELF
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Severity
from trainlint_rules.attention.idioms.built import CROSS_ENTROPY, losses_at

_DEEPEST = 6


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
            given = argument(loss.call, "input", 0)
            made = _softmax(site, given, loss.block, _DEEPEST) if given is not None else None
            if made is not None:
                yield Match(loss, fields={"line": made.lineno})


def _softmax(site: Site, node: ast.expr, block: Block, depth: int) -> ast.expr | None:
    """The softmax that an expression's value surely has been through: a call, or what a model of the file returns."""
    if isinstance(node, ast.Name) and depth:
        found = reaching(node.id, block, position(node))
        value = found[0].value if len(found) == 1 and found[0].how is How.ASSIGN and not found[0].path else None
        return _softmax(site, value, found[0].block, depth - 1) if value is not None else None
    if not isinstance(node, ast.Call) or not depth:
        return None
    if last_name(node.func) == "softmax" or _built(site, node.func, block) == "Softmax":
        return node
    made = [_softmax(site, value, inner, depth - 1) for value, inner in _returned(site, node.func, block)]
    return made[0] if made and all(made) else None


def _returned(site: Site, called: ast.expr, block: Block) -> list[tuple[ast.expr, Block]]:
    """What the `forward` of a model of the file returns."""
    cls = site.file.graph.instance_class(called, block) if isinstance(called, ast.Name | ast.Attribute) else None
    forward = site.file.graph.method(cls, "forward") if cls is not None else None
    places = forward.returns if forward is not None else ()
    return [(p.node.value, p.block) for p in places if isinstance(p.node, ast.Return) and p.node.value is not None]


def _built(site: Site, called: ast.expr, block: Block) -> str:
    """The name of the class that builds the module that is called: `nn.Softmax`, at the end of a `Sequential`, too."""
    made: ast.expr | None = called
    if isinstance(called, ast.Name | ast.Attribute):
        bindings = site.file.outline.bindings(called, block)
        made = bindings[0].value if len(bindings) == 1 else None
    while isinstance(made, ast.Call):
        if last_name(made.func) == "Sequential" and made.args:
            made = made.args[-1]
        elif isinstance(made.func, ast.Attribute) and made.func.attr in RETURN_SELF:
            made = made.func.value
        else:
            break
    return last_name(made.func) if isinstance(made, ast.Call) else ""
