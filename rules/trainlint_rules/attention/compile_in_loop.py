"""TRN704."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.conditions.branches import follows_early_exit
from trainlint.analysis.conditions.questions import runs_where_missing
from trainlint.analysis.effects.forward import computes
from trainlint.analysis.programs.steps import LoopKind
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, BlockKind
from trainlint.analysis.syntax.uses import call_of
from trainlint.finding import Finding, Heat, Severity
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom

_COMPILERS = ("torch.compile", "torch._dynamo.optimize")
_CACHES = ("cache", "lru_cache", "cached_property")


class CompileInLoop(Rule):
    """`torch.compile` is called anew in each training step, forward pass or epoch

    ## Why
    `torch.compile` wraps what it is given, and the wrapper is meant to be built once and called often. Built in the
    loop, each call is that of a new wrapper. What was compiled before is found again only while nothing differs: a
    backend given as a lambda, or a function that closes over another number, is compiled once more, for seconds or
    minutes, until the limit of eight is reached and PyTorch goes on without compiling at all. Where the wrapper is
    stored under the name of the model that it wraps, the second round wraps the wrapper: that gives a plain function,
    without `train` or `parameters`.

    ## Example
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader):
        for inputs, targets in train_loader:
            forward = torch.compile(lambda x, y: criterion(model(x), y))
            loss = forward(inputs, targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader):
        forward = torch.compile(lambda x, y: criterion(model(x), y))
        for inputs, targets in train_loader:
            loss = forward(inputs, targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    What changes from step to step is best given as a tensor argument.

    ## Stays silent
    Where the wrapper is kept and built only while it is missing: behind a test for None, for an attribute or a key,
    after an early return, in a cached function; in loops over layers, models or settings; in tests and benchmarks.

    ## Confirmed by
    `trainlint probe` counts the calls of `torch.compile` at this line in the measured steps. Else
    `TORCH_LOGS=recompiles` names the line in several steps, or a warning tells of `recompile_limit`.

    ## Gain
    Measured here, PyTorch 2.13 on a CPU: half a millisecond for each wrapper of a module, where nothing is compiled
    again; and eight compilations, then none any more, where the backend is a lambda. Compiling a whole network takes
    minutes. Next to nothing is gained where a step takes seconds and the same function is found again.

    ## References
    - `torch.compile`: https://docs.pytorch.org/docs/stable/generated/torch.compile.html
    - Different backends each time: https://github.com/pytorch/pytorch/issues/168373
    """

    code = "TRN704"
    name = "compile-in-loop"
    severity = Severity.WARNING
    heat_matters = False
    preview = True
    confirmed_by = frozenset({Symptom.COMPILE_CALL})
    triggers = Triggers(references=_COMPILERS)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find calls and decorators of the compiler that run in each step, forward pass or epoch."""
        if not isinstance(site.node, ast.expr) or site.origin(site.node) not in _COMPILERS or is_test_path(site.path):
            return
        call = call_of(site.file, site.node)
        decorated = call is None and isinstance(site.statement, ast.FunctionDef | ast.AsyncFunctionDef)
        often = _how_often(site)
        if (call is None and not decorated) or not often or _is_kept(site):
            return
        at = site.node if call is None else call.node
        yield self.finding(
            site,
            f"this wraps and looks up compiled code anew in each {often}; compile once, outside, and call the result",
            at=at,
            confidence=0.85,
        )


def _how_often(site: Site) -> str:
    """What the place runs in each of: "step", "forward pass" or "epoch"; empty where it runs seldom."""
    heat = site.heat.heat
    if heat.in_step and site.heat.confidence > 0.5:
        return "step"
    if heat is Heat.EPOCH and _is_in_loop_over_epochs(site):
        return "epoch"
    return "forward pass" if heat is Heat.UNKNOWN and computes(site.file, site.block) else ""


def _is_in_loop_over_epochs(site: Site) -> bool:
    """Whether the loop stands around the call itself: what is called once an epoch costs nothing to speak of."""
    loops = [block for block in _within_function(site.block) if block.kind is BlockKind.LOOP]
    return bool(loops) and site.file.loops.kind(loops[0]) is LoopKind.EPOCH


def _is_kept(site: Site) -> bool:
    """Whether the place runs only while there is no wrapper yet."""
    if runs_where_missing(site.conditions):
        return True
    if follows_early_exit(site.block):
        return True
    function = site.function
    return function is not None and any(function.is_decorated(name) for name in _CACHES)


def _within_function(block: Block) -> Iterator[Block]:
    for item in block.outwards():
        if item.kind is BlockKind.FUNCTION:
            return
        yield item
