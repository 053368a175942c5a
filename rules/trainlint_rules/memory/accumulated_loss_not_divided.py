"""TRN307."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from trainlint.analysis.effects.accumulation import Accumulation, accumulation
from trainlint.analysis.programs.steps import LoopKind
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.names import last_name, names_in, nodes_in
from trainlint.analysis.types.backward import graph_names
from trainlint.finding import Finding, Fix, Safety, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers

_NORMALISED = lazy(
    r"scale_grads?|grad_scale|normali[sz]e_(grad|loss)|num_(items|tokens|target_tokens|valid)|reduction=[\"']sum|"
    r"loss_scale_factor|sync_gradients"
)
"""Traces of gradients or losses that are divided in another way, as by the tokens of a whole step."""
_UNTOLD = frozenset({"range", "print", "len", "info", "format", "debug", "set_description", "set_postfix", "log"})
"""Calls that are given the number of batches and divide nothing by it."""


class AccumulatedLossNotDivided(Rule):
    """Gradients of several batches are added up, and no loss is divided by their number

    ## Why
    Backward adds to the gradients that are there. Where `n` batches make one step and each loss is the mean over its
    batch, the sum of their gradients is `n` times that of the mean over all of them. So the step is not that of a
    batch `n` times as large: with plain SGD it is one with `n` times the learning rate; with Adam the size of the
    step survives, but clipping to a norm bites `n` times as hard, and epsilon and an added weight decay weigh `n`
    times less.

    ## Example
    ```python
    def train(model, criterion, optimizer, loader, device, accumulation_steps):
        for step, (inputs, targets) in enumerate(loader):
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            loss.backward()
            if (step + 1) % accumulation_steps == 0:
                optimizer.step()
                optimizer.zero_grad()
    ```

    ## Use instead
    ```python
    def train(model, criterion, optimizer, loader, device, accumulation_steps):
        for step, (inputs, targets) in enumerate(loader):
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            (loss / accumulation_steps).backward()
            if (step + 1) % accumulation_steps == 0:
                optimizer.step()
                optimizer.zero_grad()
    ```

    Batches of different lengths, as of tokens, want more: each loss summed, and the gradients divided once by the
    number of tokens in all of them.

    ## Stays silent
    Where anything of the file is divided by the number or multiplied with it: the loss, the gradients, the learning
    rate, the weight decay; where the loss is scaled by anything else, or summed over tokens; where the number is
    handed to a function that may divide; for the `backward` of Accelerate, Fabric, DeepSpeed and other engines, which
    divide by themselves.

    ## Fix safety
    Gradients become `n` times smaller. A learning rate that was tuned with the defect is too small now, and a bound
    of clipping too large.

    ## Confirmed by
    The norm of the gradients before the step is about `n` times that after one batch, where batches agree.

    ## Gain
    No time: what is gained is that the number of batches no longer changes the training. Hugging Face and PyTorch
    document the division; what the defect costs in quality was not measured here, and with Adam and no clipping it
    is close to nothing.

    ## References
    - Gradient accumulation in the automatic mixed precision examples:
      https://docs.pytorch.org/docs/stable/notes/amp_examples.html#gradient-accumulation
    - Gradient accumulation with Accelerate: https://huggingface.co/docs/accelerate/usage_guides/gradient_accumulation
    """

    code = "TRN307"
    name = "accumulated-loss-not-divided"
    severity = Severity.WARNING
    fix_safety = Safety.UNSAFE
    heat_matters = False
    triggers = Triggers(loops=True)
    preview = True

    def check(self, site: Site) -> Iterator[Finding]:
        """Find loops over batches with a backward in each and a step in each n-th, where nothing is divided by n."""
        loop = site.file.outline.loop_blocks[site.node]
        if site.file.loops.kind(loop) is not LoopKind.STEP:
            return
        found = accumulation(site.file, loop)
        if found is None or not found.count or site.file.says(_NORMALISED):
            return
        losses = [loss for place in found.backwards if (loss := _loss(place)) is not None]
        if len(losses) != len(found.backwards) or _is_used_elsewhere(site, found) or _is_scaled(site, found, losses):
            return
        for place, loss in zip(found.backwards, losses, strict=True):
            yield self.finding(
                site.at(place.node, place.block),
                f"a step is taken every `{found.count}` batches, whose gradients add up, but no loss is divided by "
                f"`{found.count}`: the gradients are so many times too large",
                confidence=0.85,
                fix=partial(_divided, site, loss, found.count),
            )


def _loss(place: Place) -> ast.expr | None:
    """What a backward starts from: `loss` in `loss.backward()`, `scaler.scale(loss).backward()`; None for engines."""
    call = place.node
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr != "backward":
        return None
    started = call.func.value
    if isinstance(started, ast.Call) and last_name(started.func) == "scale" and len(started.args) == 1:
        return started.args[0]
    return None if call.args else started


def _is_used_elsewhere(site: Site, found: Accumulation) -> bool:
    """Whether the file computes with the number of batches, or hands it to something that may."""
    name = found.count.rpartition(".")[2]
    for node in nodes_in(site.file.tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div | ast.Mult):
            operands: tuple[ast.AST, ...] = (node.left, node.right)
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Div | ast.Mult):
            operands = (node.value,)
        elif isinstance(node, ast.Call) and last_name(node.func) not in _UNTOLD:
            operands = tuple(
                item
                for item in (*node.args, *(keyword.value for keyword in node.keywords))
                if isinstance(item, ast.Name | ast.Attribute | ast.Constant)
            )
            if not _within(site, node):
                continue  # how the number came here
        else:
            continue
        if any(name in _numbers(operand) for operand in operands):
            return True
    return False


def _within(site: Site, node: ast.AST) -> bool:
    """Whether a node stands in the loop's own text."""
    line = getattr(node, "lineno", 0)
    return site.statement.lineno < line <= (site.statement.end_lineno or 0)


def _numbers(node: ast.AST) -> list[str]:
    """The names and the written-out numbers in an operand."""
    constants = [str(part.value) for part in nodes_in(node) if isinstance(part, ast.Constant)]
    return names_in(node) + constants


def _is_scaled(site: Site, found: Accumulation, losses: list[ast.expr]) -> bool:
    """Whether a loss is divided by something, or multiplied by something that is no written-out weight."""
    names = {name for loss in losses for name in graph_names(loss)}
    texts = [*losses]
    for node in nodes_in(found.loop.node):
        if isinstance(node, ast.Assign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(last_name(target) in names for target in targets):
                texts.append(node.value)
                if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Div | ast.Mult):
                    return True
    return any(
        (isinstance(part, ast.BinOp) and isinstance(part.op, ast.Div | ast.Mult))
        or (isinstance(part, ast.Call) and last_name(part.func) in ("div", "div_", "mul", "mul_", "sum"))
        for text in texts
        for part in nodes_in(text)
    )


def _divided(site: Site, loss: ast.expr, count: str) -> Fix | None:
    import libcst as cst

    from trainlint.fixing.rewrite import attempt, replace_expression

    if not isinstance(loss, ast.Name):
        return None
    new = cst.parse_expression(f"{loss.id} / {count}")
    return attempt(lambda: Fix("Divide the loss", (replace_expression(site.source, loss, new),), Safety.UNSAFE))
