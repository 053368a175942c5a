"""TRN534."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.conditions.condition import Condition, ConditionKind
from trainlint.analysis.conditions.interval_lengths import interval_length
from trainlint.analysis.conditions.questions import confidence_behind
from trainlint.analysis.effects.accumulation import loop_around
from trainlint.analysis.programs.steps import LoopKind
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, How
from trainlint.analysis.syntax.names import argument, last_name, nodes_in, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.types.values import Kind
from trainlint.finding import Finding, Severity
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom

_OFTEN = 100
"""Up to so many steps between two checkpoints are too few."""
_FOLLOWED = 2
_BUFFERS = frozenset({"BytesIO", "buffer"})


class BlockingCheckpoint(Rule):
    """`torch.save` of a model's state every few training steps, for which the training waits

    ## Why
    `torch.save` copies each tensor to the host, serialises it and writes it, and the loop goes on when the last byte is
    out: the devices do nothing meanwhile. With the optimizer's states a checkpoint holds some 12 bytes a parameter: 84
    GB for 7 billion parameters, minutes on a shared disk. Every few steps, that outweighs the training. Save more
    seldom, or let `torch.distributed.checkpoint.async_save` copy to the host and write while the next steps run.

    ## Example
    ```python
    import torch


    def train(model, criterion, optimizer, loader, device):
        for step, (inputs, targets) in enumerate(loader):
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 20 == 0:
                torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, "last.pt")
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, optimizer, loader, device):
        for step, (inputs, targets) in enumerate(loader):
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 2000 == 0:
                torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, "last.pt")
    ```

    ## Stays silent
    For intervals of more than 100 steps and those that the file does not tell; behind a test that holds seldom, as of
    the best score or the last step; for what is no state of a model; for buffers in memory. Quietly, below the default
    confidence, in tests.

    ## Confirmed by
    `trainlint probe` times the saves at this line; a window that none falls into says nothing. Gaps in a profile of the
    device at each save, and their share of the time.

    ## Gain
    The time of a save, each time. PyTorch reports pauses more than ten times shorter with asynchronous checkpoints.
    Nothing where a save takes less than a step, as for small models on a local disk.

    ## References
    - `torch.distributed.checkpoint.async_save`: https://docs.pytorch.org/docs/stable/distributed.checkpoint.html
    - Reducing Model Checkpointing Times by Over 10x: https://pytorch.org/blog/reducing-checkpointing-times/
    """

    code = "TRN534"
    name = "blocking-checkpoint"
    severity = Severity.ADVICE
    preview = True
    heat_matters = False
    confirmed_by = frozenset({Symptom.CHECKPOINT})
    triggers = Triggers(calls=frozenset({"save"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find saves of states in loops over steps, behind nothing but a short interval."""
        saved, path = argument(site.call, "obj", 0), argument(site.call, "f", 1)
        if site.origin(site.call.func) != "torch.save" or saved is None or path is None:
            return
        loop = _training_loop(site)
        if loop is None or not _holds_state(site.file, saved, site.block, _FOLLOWED) or _is_buffer(path):
            return
        conditions = site.file.conditions.around(site.block, loop)
        steps, sure = interval_length(conditions), _confidence(conditions)
        if steps is None or not 1 <= steps <= _OFTEN or not sure:
            return
        often = "each step" if steps == 1 else f"each {steps} steps"
        yield self.finding(
            site,
            f"training stops {often} until this checkpoint is written; save more seldom, or with "
            "`torch.distributed.checkpoint.async_save`",
            confidence=0.6 if is_test_path(site.path) else min(0.8, sure),
        )


def _training_loop(site: Site) -> Block | None:
    """The innermost loop around the save, if its iterations are training steps."""
    loop = loop_around(site.block)
    return loop if loop is not None and site.file.loops.kind(loop) is LoopKind.STEP else None


def _confidence(conditions: tuple[Condition, ...]) -> float:
    """How sure it is that nothing but intervals decides when this is saved; 0 where something else makes it rare."""
    return confidence_behind(item for item in conditions if item.kind is not ConditionKind.INTERVAL)


def _holds_state(file: SemanticModel, node: ast.expr, block: Block, depth: int) -> bool:
    """Whether what is saved holds the state of a model: `state_dict()`, or the module itself."""
    for part in nodes_in(node):
        if isinstance(part, ast.Call) and last_name(part.func) == "state_dict":
            return True
        if isinstance(part, ast.Name) and depth:
            if file.kinds.of(part, block).kind is Kind.MODULE and part is node:
                return True
            for binding in reaching(part.id, block, position(part)):
                if binding.how is How.ASSIGN and isinstance(binding.value, ast.Dict | ast.Call):
                    if _holds_state(file, binding.value, binding.block, depth - 1):
                        return True
    return False


def _is_buffer(path: ast.expr) -> bool:
    return last_name(path) in _BUFFERS
