"""TRN416."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from trainlint.analysis.conditions.subjects import Subject, asks_about
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant, has_unpacked_arguments, nodes_in
from trainlint.analysis.types.values import Origin
from trainlint.finding import Finding, Fix, Safety, Severity
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom

_SURE = 0.9


class TensorCopiedFromTensor(Rule):
    """`torch.tensor(x)` of what is a tensor already: a copy with a warning, and the graph is cut

    ## Why
    `torch.tensor` is for lists and numbers. Given a tensor it copies it, cuts it from the graph, and warns that
    `x.detach().clone()` is what one should write. Where the copy was meant only to choose a device or a data type,
    `x.to(...)` copies nothing if nothing changes, and keeps the gradient.

    ## Example
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader):
        for inputs, targets in train_loader:
            loss = criterion(model(inputs), targets)
            target = torch.tensor(torch.zeros(8))
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
            target = torch.zeros(8).detach().clone()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Stays silent
    For lists, numbers and arrays, and for what is only likely a tensor: by its name, or on some ways only.

    ## Confirmed by
    `trainlint probe` hears PyTorch's warning, and names the line that it comes from.
    The warning "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone()".

    ## Gain
    A warning less, and a copy less where `.to(...)` is enough; not measured here. Nothing for speed where the copy is
    wanted.

    ## References
    - `torch.tensor`: https://docs.pytorch.org/docs/stable/generated/torch.tensor.html
    """

    code = "TRN416"
    name = "tensor-copied-from-tensor"
    severity = Severity.ADVICE
    confirmed_by = frozenset({Symptom.WARNING})
    warned_as = "copy construct from a tensor"
    fix_safety = Safety.SAFE
    heat_matters = False
    preview = True
    triggers = Triggers(calls=frozenset({"tensor"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find calls of `torch.tensor` on what is surely a tensor."""
        if site.origin(site.call.func) != "torch.tensor" or has_unpacked_arguments(site.call):
            return
        given = argument(site.call, "data", 0)
        if given is None:
            return
        value = site.value(given)
        if not value.is_tensor or value.confidence < _SURE or value.origin in (Origin.NAME, Origin.BATCH):
            return
        if _may_be_list(site, given) or _converts_itself(site, given):
            return
        shown = ast.unparse(given)
        shown = shown if len(shown) <= 40 else "x"
        yield self.finding(
            site,
            f"`{shown}` is a tensor already, which `torch.tensor` copies with a warning and cuts from its graph; write "
            f"`{shown}.detach().clone()`, or `.to(...)` where no copy is wanted",
            confidence=0.9,
            fix=partial(_copied, site, given),
        )


def _may_be_list(site: Site, given: ast.expr) -> bool:
    """Whether a list is joined to it, a field of a batch may hold one, or a test of its type stands before."""
    if isinstance(given, ast.Subscript) and isinstance(constant(given.slice), str):
        return True
    if any(isinstance(part, ast.List | ast.Tuple | ast.ListComp) for part in nodes_in(given)):
        return isinstance(given, ast.BinOp | ast.List | ast.Tuple | ast.ListComp)
    return asks_about(site.block, Subject.TYPE)


def _converts_itself(site: Site, given: ast.expr) -> bool:
    """Whether the result takes the place of what is given, as where a list is turned into a tensor by its name."""
    statement = site.statement
    if not isinstance(statement, ast.Assign) or not isinstance(given, ast.Name | ast.Attribute | ast.Subscript):
        return False
    shown = ast.unparse(given)
    return any(ast.unparse(target) == shown for target in statement.targets)


def _copied(site: Site, given: ast.expr) -> Fix | None:
    """The same copy by methods; none where other arguments say more, or where a name may yet be something else."""
    if len(site.call.args) != 1 or site.call.keywords or site.value(given).confidence < 1:
        return None
    from trainlint.fixing.rewrite import attempt, expression, replace_expression

    def make() -> Fix:
        import libcst as cst

        tensor = expression(site.source, given)
        if not isinstance(given, ast.Name | ast.Attribute | ast.Call | ast.Subscript):
            tensor = tensor.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        copy = cst.Call(cst.Attribute(cst.Call(cst.Attribute(tensor, cst.Name("detach"))), cst.Name("clone")))
        return Fix("Copy the tensor", (replace_expression(site.source, site.call, copy),), Safety.SAFE)

    return attempt(make)
