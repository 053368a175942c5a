"""TRN308."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import dotted
from trainlint.finding import Finding, Fix, Safety, Severity
from trainlint.rule import Rule, Triggers


class LossAddedToItself(Rule):
    """A loss that is meant to be divided is added to its own quotient: `loss += loss / n`

    ## Why
    `loss += loss / n` makes the loss `1 + 1/n` times what it was. Where `n` batches make one step, the gradients of
    that step come out `n + 1` times too large: three times for two batches, nine times for eight. With plain SGD that
    is another learning rate; with any optimizer it is another clipping and another balance with weight decay.

    ## Example
    ```python
    def train(model, criterion, optimizer, loader, device, accumulate):
        for step, (inputs, targets) in enumerate(loader):
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            loss += loss / accumulate
            loss.backward()
            if (step + 1) % accumulate == 0:
                optimizer.step()
                optimizer.zero_grad()
    ```

    ## Use instead
    ```python
    def train(model, criterion, optimizer, loader, device, accumulate):
        for step, (inputs, targets) in enumerate(loader):
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            loss = loss / accumulate
            loss.backward()
            if (step + 1) % accumulate == 0:
                optimizer.step()
                optimizer.zero_grad()
    ```

    ## Stays silent
    For sums that no backward goes through, such as a running mean in a log; where one loss is added to another.

    ## Fix safety
    The fix divides, as was meant: gradients become `n + 1` times smaller. A learning rate that was tuned with the
    defect is too small now.

    ## Confirmed by
    Cannot be measured: a probe sees a loss, and not what it was meant to be.

    ## Gain
    No time: what is gained is the step that was meant. The factor `n + 1` follows from the arithmetic and is tested.

    ## References
    - `torch.autograd.backward`, which adds gradients up:
      https://docs.pytorch.org/docs/stable/generated/torch.autograd.backward.html
    - Gradient accumulation in the automatic mixed precision examples:
      https://docs.pytorch.org/docs/stable/notes/amp_examples.html#gradient-accumulation
    """

    code = "TRN308"
    name = "loss-added-to-itself"
    severity = Severity.ERROR
    fix_safety = Safety.UNSAFE
    heat_matters = False
    triggers = Triggers(accumulations=True)
    preview = True

    def check(self, site: Site) -> Iterator[Finding]:
        """Find what is added to its own quotient before a backward goes through it."""
        quotient = _own_quotient(site.node)
        name = dotted(quotient.left) if quotient is not None else None
        if quotient is None or name is None or not site.file.backwards(site.block).goes_through(name):
            return
        text = ast.unparse(quotient)
        yield self.finding(
            site,
            f"this adds `{text}` to `{name}` itself, which makes it larger instead of dividing it; "
            f"write `{name} = {text}`",
            at=site.statement,
            confidence=0.95,
            fix=partial(_divided, site, quotient),
        )


def _own_quotient(node: ast.AST) -> ast.BinOp | None:
    """`x / n` in `x += x / n`, `x = x + x / n` and `x = x / n + x`."""
    match node:
        case ast.AugAssign(op=ast.Add(), target=target, value=ast.BinOp(op=ast.Div()) as added):
            return added if _same(target, added.left) else None
        case ast.Assign(targets=[target], value=ast.BinOp(op=ast.Add(), left=left, right=right)):
            for kept, other in ((left, right), (right, left)):
                if isinstance(other, ast.BinOp) and isinstance(other.op, ast.Div):
                    if _same(target, kept) and _same(target, other.left):
                        return other
    return None


def _same(one: ast.expr, other: ast.expr) -> bool:
    return dotted(one) is not None and dotted(one) == dotted(other)


def _divided(site: Site, quotient: ast.BinOp) -> Fix | None:
    import libcst as cst

    from trainlint.fixing.rewrite import attempt, expression, replace_simple_statement

    def make() -> Fix:
        value = expression(site.source, quotient)
        target = cst.ensure_type(cst.ensure_type(value, cst.BinaryOperation).left, cst.Name)
        new = cst.Assign([cst.AssignTarget(target)], value)
        return Fix("Divide it", (replace_simple_statement(site.source, site.statement, new),), Safety.UNSAFE)

    return attempt(make) if isinstance(quotient.left, ast.Name) else None
