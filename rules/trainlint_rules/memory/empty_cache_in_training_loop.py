"""TRN301."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import partial

from trainlint.analysis.conditions.subjects import Subject, asks_about
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, BlockKind
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import nodes_in
from trainlint.finding import Finding, Fix, Heat, Safety, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom

_DEVICE_MODULE = lazy(r"cuda|mps|xpu|npu|mlu|accelerator|device|backend|memory", re.IGNORECASE)
"""Whose `empty_cache` is PyTorch's: that of `torch.cuda`, `get_accelerator()`, a device module in a variable."""
_WHERE = {
    Heat.STEP: "in each training step",
    Heat.INNER: "several times in each training step",
    Heat.EVAL_STEP: "for each evaluation batch",
    Heat.EPOCH: "once an epoch",
}


class EmptyCacheInTrainingLoop(Rule):
    """`empty_cache()` in each step gives away memory that the next step asks for again

    ## Why
    PyTorch keeps freed device memory in its own cache, where the next allocation finds it within microseconds.
    `empty_cache()` waits for the device, hands the cached blocks back to the driver and makes the next step
    allocate them anew; each of these driver calls waits for the device again. It gives a model no more memory to
    live in: what PyTorch has cached, PyTorch can use.

    ## Example
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader, device):
        for inputs, targets in train_loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            torch.cuda.empty_cache()
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, optimizer, train_loader, device):
        for inputs, targets in train_loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    Where the cache splinters, because batches differ in size, set
    `PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True` before the program starts.

    ## Stays silent
    In set-up; between training and evaluation; in the handler of an out-of-memory error and where it tries again;
    behind an interval, a flag, or a test of how much memory is used; between two phases that share one device; while
    layers are quantised one by one.

    ## Fix safety
    The fix removes the call. A program that just fits, because another process or library uses the same device,
    may run out of memory without it.

    ## Confirmed by
    `trainlint probe` times the call at this line. `num_device_alloc` and `num_device_free` of
    `torch.cuda.memory_stats()` grow in each step, and `reserved_bytes.all.current` is a saw-tooth.

    ## Gain
    Documentation of the Hugging Face Trainer speaks of about 10% for emptying the cache often
    (`torch_empty_cache_steps`). Nothing where the cache is empty anyway. Not measured here.

    ## References
    - Memory management: https://docs.pytorch.org/docs/stable/notes/cuda.html#memory-management
    - `torch.cuda.memory.empty_cache`:
      https://docs.pytorch.org/docs/stable/generated/torch.cuda.memory.empty_cache.html
    """

    code = "TRN301"
    name = "empty-cache-in-training-loop"
    severity = Severity.WARNING
    fix_safety = Safety.UNSAFE
    confirmed_by = frozenset({Symptom.CACHE_EMPTIED})
    triggers = Triggers(calls=frozenset({"empty_cache"}), heats=frozenset(_WHERE))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find calls of the allocator's `empty_cache` that run in each step or for each evaluation batch."""
        heat = site.heat.heat
        if heat not in _WHERE or not _is_allocators(site, site.call):
            return
        name = ast.unparse(site.call.func)
        message = (
            f"`{name}()` {_WHERE[heat]} hands memory back to the driver that is needed again at once, and waits for "
            "the device; remove it"
        )
        severity = Severity.ADVICE if heat is Heat.EPOCH else self.severity
        yield self.finding(
            site, message, confidence=_confidence(site, heat), fix=partial(_removed, site), severity=severity
        )


def _is_allocators(site: Site, call: ast.Call) -> bool:
    """Whether this `empty_cache` is that of PyTorch's allocator, or a helper imported by that name."""
    if call.args:
        return False
    if isinstance(call.func, ast.Attribute):
        return bool(_DEVICE_MODULE.search(ast.unparse(call.func.value)))
    return site.origin(call.func) is not None


def _confidence(site: Site, heat: Heat) -> float:
    if heat is Heat.EPOCH:
        return 0.4  # often on purpose, and cheap
    if _is_asked_for(site) or _retries(site):
        return 0.5
    if _evaluates_nothing(site, heat):
        return 0.6
    return 0.9 if heat.in_step else 0.75


def _is_asked_for(site: Site) -> bool:
    """Whether a test before the call is about memory: then it is emptied on purpose.

    A function of that name that chooses between devices is another case: its calls are found.
    """
    if site.function is not None and site.function.name == "empty_cache" and site.conditions:
        return True
    return asks_about(site.block, Subject.MEMORY)


def _retries(site: Site) -> bool:
    """Whether the loop around catches errors to try again: then the cache is emptied on purpose."""
    loop = _loop_around(site.block)
    return loop is not None and _catches_errors(site.file, loop)


@once
def _catches_errors(file: SemanticModel, loop: Block) -> bool:
    return any(
        handler.type is not None and re.search(r"OutOfMemory|RuntimeError", ast.unparse(handler.type))
        for statement in nodes_in(loop.node)
        if isinstance(statement, ast.Try)
        for handler in statement.handlers
    )


def _evaluates_nothing(site: Site, heat: Heat) -> bool:
    """An evaluation loop that runs no model of its own is one over experiments, not batches."""
    return heat is Heat.EVAL_STEP and _loop_around(site.block) is None


def _loop_around(block: Block) -> Block | None:
    return next((item for item in block.outwards() if item.kind is BlockKind.LOOP), None)


def _removed(site: Site) -> Fix | None:
    statement = site.statement
    if not isinstance(statement, ast.Expr) or statement.value is not site.node:
        return None
    from trainlint.fixing.rewrite import attempt, remove_statement

    return attempt(
        lambda: Fix("Remove the emptying of the cache", remove_statement(site.source, statement), Safety.UNSAFE)
    )
