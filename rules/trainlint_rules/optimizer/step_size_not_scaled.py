"""TRN609."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.effects.accumulation import Accumulation, accumulation
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, How
from trainlint.analysis.syntax.names import argument, dotted, last_name, names_in, nodes_in, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.tables.accumulation import speaks_of_micro_batches
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers
from trainlint_rules.optimizer.idioms.optimizers import Act, Action, actions

_LENGTHS = {
    "OneCycleLR": ("total_steps", "steps_per_epoch"),
    "CosineAnnealingLR": ("T_max",),
    "PolynomialLR": ("total_iters",),
    "LinearLR": ("total_iters",),
}
_OF_TRANSFORMERS = lazy(r"^get_(\w+_schedule_with_warmup|scheduler)$")
_FOLLOWED = 4


class StepSizeNotScaled(Rule):
    """A schedule of step sizes planned for each batch, while the optimizer steps once for several

    ## Why
    With gradient accumulation the optimizer, and the schedule beside it, steps once for n batches. A schedule whose
    length is the number of batches then ends at an n-th of its way: a cosine over 4 accumulated batches stops at 85 %
    of its peak instead of zero, and a warm-up takes n times as long. The last, small steps, in which most of the loss
    falls, are never taken.

    ## Example
    ```python
    import torch


    def train(model, criterion, train_loader, accumulation_steps=4):
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=len(train_loader))
        for i, (inputs, targets) in enumerate(train_loader):
            loss = criterion(model(inputs), targets) / accumulation_steps
            loss.backward()
            if (i + 1) % accumulation_steps == 0:
                optimizer.step()
                schedule.step()
                optimizer.zero_grad()
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, train_loader, accumulation_steps=4):
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=len(train_loader) // accumulation_steps)
        for i, (inputs, targets) in enumerate(train_loader):
            loss = criterion(model(inputs), targets) / accumulation_steps
            loss.backward()
            if (i + 1) % accumulation_steps == 0:
                optimizer.step()
                schedule.step()
                optimizer.zero_grad()
    ```

    ## Stays silent
    Where the length of the schedule is divided, or does not come from the length of a loader; where the schedule steps
    with each batch; under frameworks, whose wrappers may step it n times.

    ## Confirmed by
    The learning rate after the last step is not the one that the schedule ends with.

    ## Gain
    None in speed: the learning rates are those that were asked for. The figure above is the cosine at a quarter of its
    way, (1 + cos(pi / 4)) / 2.

    ## References
    - `CosineAnnealingLR`:
      https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.CosineAnnealingLR.html
    """

    code = "TRN609"
    name = "step-size-not-scaled"
    severity = Severity.WARNING
    heat_matters = False
    preview = True
    triggers = Triggers(loops=True)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find schedules that step with the optimizer behind a count of batches, and are as long as the loader."""
        loop = site.file.outline.loop_blocks.get(site.node)
        found = accumulation(site.file, loop) if loop is not None else None
        if loop is None or found is None or _is_owned(site, loop):
            return
        for schedule in _stepping_with_optimizer(site, loop, found):
            for call, block in _built(schedule):
                if _is_as_long_as_loader(call, block, found.count):
                    yield self.finding(
                        site.at(call, block),
                        f"this schedule is planned for each batch, but line {schedule.line} moves it on once for "
                        f"{found.count or 'several'} batches; divide its length by their number",
                        confidence=0.8,
                    )


def _is_owned(site: Site, loop: Block) -> bool:
    return any(item.fact.kind is FactKind.FRAMEWORK for item in site.file.used_around(loop))


def _stepping_with_optimizer(site: Site, loop: Block, found: Accumulation) -> list[Action]:
    """The schedules that step in the very branch in which the optimizer does, and not with each batch."""
    acts = actions(site.file, loop)
    guards = [item.place.block for item in acts if item.act is Act.STEP]
    batches = [place.block for place in found.backwards]
    return [
        item
        for item in acts
        if item.act is Act.SCHEDULE and item.place.block in guards and item.place.block not in batches
    ]


def _built(schedule: Action) -> Iterator[tuple[ast.Call, Block]]:
    """The calls that build a schedule held by a plain name, if they are of a kind whose length is known."""
    owner = schedule.call.func.value if isinstance(schedule.call.func, ast.Attribute) else None
    if not isinstance(owner, ast.Name):
        return
    for binding in reaching(owner.id, schedule.place.block, position(owner)):
        if binding.how is How.ASSIGN and isinstance(binding.value, ast.Call) and not binding.path:
            yield binding.value, binding.block


def _is_as_long_as_loader(call: ast.Call, block: Block, count: str) -> bool:
    name = last_name(call.func)
    if _OF_TRANSFORMERS.search(name):
        given = [argument(call, "num_training_steps")]
    elif name == "CosineAnnealingLR":
        given = [argument(call, "T_max", 1)]
    else:
        given = [argument(call, word) for word in _LENGTHS.get(name, ())]
    return any(item is not None and _counts_batches(item, block, count) for item in given)


def _counts_batches(length: ast.expr, block: Block, count: str) -> bool:
    """Whether a length comes from that of a loader and nothing on its way divides it or names the count."""
    measured = False
    for part in _behind(length, block, _FOLLOWED):
        if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Div | ast.FloorDiv):
            return False
        if isinstance(part, ast.Name | ast.Attribute) and (
            dotted(part) == count or speaks_of_micro_batches(last_name(part))
        ):
            return False
        if isinstance(part, ast.Call) and last_name(part.func) == "len":
            measured = any("load" in name.lower() or name.lower().endswith("dl") for name in names_in(part))
    return measured


def _behind(node: ast.expr, block: Block, depth: int) -> Iterator[ast.AST]:
    """The parts of an expression and of what its names were assigned."""
    for part in nodes_in(node):
        yield part
        if isinstance(part, ast.Name) and depth:
            for binding in reaching(part.id, block, position(part)):
                if binding.how is How.ASSIGN and binding.value is not None and not binding.path:
                    yield from _behind(binding.value, binding.block, depth - 1)
