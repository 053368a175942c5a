"""TRN605."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.analysis.programs.steps import LoopKind
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.syntax.names import constant, dotted, last_name
from trainlint.analysis.tables.clipping import clips_gradients
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.analysis.tables.host_reads import ITEM
from trainlint.analysis.tables.iterables import only_iterates
from trainlint.analysis.tables.precision import AUTOCAST
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers
from trainlint_rules.optimizer.idioms.optimizers import Act, Action, actions

_CLEARED = lazy(
    r"(zero|reset|clear)_?(the_?)?grad|\.grad(\.data)?\s*=(?!=)|\.grad(\.data)?\.(zero_|fill_|copy_)|set_to_none|"
    r"register_post_accumulate_grad_hook|optimizer_in_bwd|_foreach_zero_|closure"
)
"""What clears gradients, or lets something else do it, anywhere in the file."""
_MAY_CLEAR = lazy(r"optim|(^|_)opt($|_)|trainer|engine|^self$", re.IGNORECASE)
"""What a function out of sight must be given to clear gradients."""
_HARMLESS = lazy(
    r"^(backward|step|scale|unscale_|update|train|eval|parameters|state_dict|save\w*|print|len|isinstance|"
    r"append|log\w*|format|get_last_lr|join|str|int|float|no_grad|dict|getattr)$"
)


class ZeroGradMissing(Rule):
    """A training loop in which nothing ever clears the gradients

    ## Why
    `backward()` adds to `.grad`. Where nothing clears it, each step follows the sum of all gradients since the start:
    the direction is more and more that of batches long gone, with plain SGD the step grows without bound, and training
    diverges or stalls without an error.

    ## Example
    ```python
    import torch


    def train(model, criterion, train_loader):
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        for inputs, targets in train_loader:
            loss = criterion(model(inputs), targets)
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, train_loader):
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        for inputs, targets in train_loader:
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Stays silent
    Where anything in the file clears gradients, in whatever way; where a function out of sight is given the optimizer,
    a framework owns the loop, or the optimizer steps with a closure; for engines whose step clears, as DeepSpeed's.

    ## Confirmed by
    Before each backward pass but the first, `p.grad` of the parameters is neither None nor zero.

    ## Gain
    None in speed: this is a bug. The model learns from the current batch.

    ## References
    - Why gradients add up, and how to clear them:
      https://docs.pytorch.org/tutorials/recipes/recipes/zeroing_out_gradients.html
    """

    code = "TRN605"
    name = "zero-grad-missing"
    severity = Severity.ERROR
    heat_matters = False
    triggers = Triggers(loops=True)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find loops that run backward and step, in files that clear nothing."""
        loop = site.file.outline.loop_blocks.get(site.node)
        if loop is None or site.file.loops.kind(loop) is not LoopKind.STEP or site.file.says(_CLEARED):
            return
        found = actions(site.file, loop)
        backward = next((item for item in found if item.act is Act.BACKWARD), None)
        step = next((item for item in found if item.act is Act.STEP and not item.closure), None)
        if backward is None or step is None or backward.line > step.line or _runs_once(site.node):
            return
        if _someone_else_may(site, loop):
            return
        yield self.finding(
            site,
            f"nothing clears the gradients before line {backward.line} adds to them, so line {step.line} steps along "
            f"the sum of all batches so far; call `{step.owner}.zero_grad()`",
            at=backward.call,
            confidence=_confidence(site, step),
        )


def _confidence(site: Site, step: Action) -> float:
    if is_test_path(site.path):
        return 0.5  # tests compare two optimizers on whatever gradients there are
    return 0.9 if step.sure else 0.75


def _runs_once(loop: ast.AST) -> bool:
    iterated = loop.iter if isinstance(loop, ast.For) else None
    return isinstance(iterated, ast.Call) and last_name(iterated.func) == "range" and constant(iterated.args[-1]) == 1


def _is_harmless(name: str) -> bool:
    """Whether a function of this name clears no gradients."""
    if name in (ITEM.name, AUTOCAST.name) or only_iterates(name) or clips_gradients(name):
        return True
    return bool(_HARMLESS.search(name))


def _someone_else_may(site: Site, loop: Block) -> bool:
    """Whether a framework owns the loop, or a function that is not in this file is given what it needs to clear."""
    if any(item.fact.kind is FactKind.FRAMEWORK for item in site.file.used_around(loop)):
        return True
    for place in site.file.outline.all_calls():
        call = place.node
        if not isinstance(call, ast.Call) or not place.block.within(loop) or call in site.file.graph.callee:
            continue
        name = last_name(call.func)
        if _is_harmless(name):
            continue
        owner = [call.func.value] if isinstance(call.func, ast.Attribute) else []
        given = [*owner, *call.args, *(item.value for item in call.keywords)]
        if any(_MAY_CLEAR.search(dotted(item) or "") for item in given):
            return True
    return False
