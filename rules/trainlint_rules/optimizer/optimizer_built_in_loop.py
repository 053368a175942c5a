"""TRN603."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.effects.accumulation import loop_around
from trainlint.analysis.programs.optimizer_builds import OptimizerBuild, optimizer_builds
from trainlint.analysis.programs.steps import LoopKind
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, Place
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import argument, dotted, last_name, nodes_in
from trainlint.analysis.tables.optimizers import CLASSES
from trainlint.finding import Finding, Heat, Severity
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom
from trainlint_rules.optimizer.idioms.optimizers import Act, actions, actions_of, always_runs_before


class OptimizerBuiltInLoop(Rule):
    """An optimizer that is built anew in each training step

    ## Why
    What an optimizer has learned of the gradients lies in its state: momentum, averages of squares, the number of the
    step. Built in the loop, it starts each step from nothing. Adam then takes a step of the full learning rate in the
    direction of the sign of each gradient, momentum never builds up, and a schedule cannot hold on to it. Its state is
    also allocated anew in each step.

    ## Example
    ```python
    import torch


    def train(model, criterion, train_loader):
        for inputs, targets in train_loader:
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
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

    To change the learning rate, set `group["lr"]` for each of `optimizer.param_groups`.

    ## Stays silent
    Where the model is built in the same loop; where the optimizer steps in a loop of its own inside, as for each
    sample, task or fold; behind a condition; for plain SGD without momentum, which has no state.

    ## Confirmed by
    `trainlint probe` counts the optimizers that this line builds in the measured steps. Else `optimizer.state` is
    empty before each step.

    ## Gain
    Convergence, and the allocation of the state in each step. Not measured here.

    ## References
    - `torch.optim`: https://docs.pytorch.org/docs/stable/optim.html#constructing-it
    """

    code = "TRN603"
    name = "optimizer-built-in-loop"
    severity = Severity.ERROR
    preview = True
    confirmed_by = frozenset({Symptom.OPTIMIZER_BUILT})
    triggers = Triggers(calls=frozenset(CLASSES), heats=frozenset({Heat.STEP}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find optimizers that are built and stepped once in each round of one loop over steps."""
        loop = _loop_of(site.file, site.block)
        if loop is None or site.heat.heat is not Heat.STEP or site.file.loops.kind(loop) is not LoopKind.STEP:
            return
        build = optimizer_builds(site.file).get(site.call)
        if build is None or build.name is None or _has_no_state(site.call) or _builds_model(site, build, loop):
            return
        steps = actions_of(actions(site.file, loop), Act.STEP, build.name)
        if steps and all(_follows_in_loop(site, item.place, loop) for item in steps):
            yield self.finding(
                site,
                f"`{build.name}` is built in each step, so its momentum and averages start from nothing each time; "
                "build it before the loop",
                confidence=0.5 if is_test_path(site.path) else 0.85,
            )


def _follows_in_loop(site: Site, step: Place, loop: Block) -> bool:
    """Whether a step runs once in each round of the loop, behind the building."""
    return _loop_of(site.file, step.block) is loop and always_runs_before(site.place, step)


def _loop_of(file: SemanticModel, block: Block) -> Block | None:
    """The loop that runs a block in each of its rounds; None where a condition or a function stands between."""
    loop = loop_around(block)
    return None if loop is None or file.conditions.around(block, loop, early_exits=False) else loop


def _has_no_state(call: ast.Call) -> bool:
    row = CLASSES[last_name(call.func)]
    return row.moments == 0 and (row.momentum_at is None or argument(call, "momentum", row.momentum_at) is None)


def _builds_model(site: Site, build: OptimizerBuild, loop: Block) -> bool:
    """Whether what is optimized is made in the loop, too, or is not known at all."""
    if not build.models:
        return True
    roots = {name.partition(".")[0] for name in build.models}
    return not _stored(site.file, loop).isdisjoint(roots | build.models)


@once
def _stored(file: SemanticModel, loop: Block) -> frozenset[str]:
    """What a loop gives new values: names, and attributes of them."""
    parts = nodes_in(loop.node)
    names = (node.id for node in parts if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    targets = (dotted(target) for node in parts if isinstance(node, ast.Assign) for target in node.targets)
    return frozenset((*names, *filter(None, targets)))
