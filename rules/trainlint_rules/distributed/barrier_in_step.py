"""TRN505."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import partial

from trainlint.analysis.effects.accumulation import loop_around
from trainlint.analysis.effects.collectives import Collective, body_around, collective, collective_of, same_group
from trainlint.analysis.programs.fact_names import ACCELERATOR
from trainlint.analysis.programs.loops import describe_loop
from trainlint.analysis.programs.steps import LoopKind
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.syntax.names import last_name, nodes_in
from trainlint.analysis.tables.collectives import WAITING_FOR_ALL
from trainlint.finding import Finding, Fix, Heat, Safety, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom

_WHEN_DISTRIBUTED = lazy(r"distributed|initialized|world_size|n_?gpu|num_processes|is_available|ddp|multi", re.I)
"""Tests that hold in every step of a run with several processes."""
_TIMING = frozenset({"time", "perf_counter", "monotonic", "elapsed_time", "process_time", "perf_counter_ns"})


class BarrierInStep(Rule):
    """A barrier in each training step, or one before a collective that waits for all ranks anyhow

    ## Why
    On NCCL a barrier is an `all_reduce` of one number after which the host waits for the device. In every step it makes
    all ranks wait for the slowest, empties the queue of kernels, and lets the device idle until new ones arrive. The
    reduction of gradients brings the ranks together in each step already. Before a collective such as `all_reduce` a
    barrier adds nothing: no rank leaves that before all have come.

    ## Example
    ```python
    import torch.distributed as dist


    def train(model, optimizer, loader):
        for batch in loader:
            loss = model(batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            dist.barrier()
    ```

    ## Use instead
    ```python
    import torch.distributed as dist


    def train(model, optimizer, loader):
        for batch in loader:
            loss = model(batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Stays silent
    At checkpoints, around set-up and downloads, at the end of an epoch; behind a test that holds seldom; where times
    are taken; before `broadcast` and other collectives that some ranks leave early.

    ## Fix safety
    The fix removes the call. Ranks may then run apart by as much as other collectives let them: code that relies on
    files which another rank writes needs a barrier at that place.

    ## Confirmed by
    `trainlint probe` times the barrier at this line. Part of it is the wait for the slowest rank, which may move to the
    next collective. `nccl:all_reduce_barrier` in each step of a profile, followed by a wait of the host.

    ## Gain
    The launch queue stays full; in steps that the host prepares slowly, up to the time of that. Not measured here, and
    nothing with one process, or where another wait for the device follows in each step.

    ## References
    - `torch.distributed.barrier`: https://docs.pytorch.org/docs/stable/distributed.html#torch.distributed.barrier
    - What it does on NCCL, in `ProcessGroupNCCL::barrier`:
      https://github.com/pytorch/pytorch/blob/main/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp
    """

    code = "TRN505"
    name = "barrier-in-step"
    severity = Severity.WARNING
    fix_safety = Safety.UNSAFE
    heat_matters = False
    confirmed_by = frozenset({Symptom.COLLECTIVE})
    triggers = Triggers(calls=frozenset({"barrier", "wait_for_everyone"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find barriers that run in each step, and those that a collective makes superfluous."""
        if not isinstance(site.statement, ast.Expr) or not _is_barrier(site) or is_test_path(site.path):
            return
        name = ast.unparse(site.call.func)
        loop = _training_loop(site)
        if loop is not None and not _takes_times(site):
            message = (
                f"`{name}()` in each training step ({describe_loop(loop)}) makes the host wait for the device and all "
                "ranks for the slowest; the reduction of gradients synchronises them already"
            )
            sure = min(0.85, site.heat.confidence)
            yield self.finding(site, message, confidence=sure, fix=partial(_removed, site))
            return
        following = _following(site)
        if following is not None and site.heat.heat not in (Heat.ONCE, Heat.RARE):
            message = (
                f"`{name}()` right before `{following.name}`, which no rank leaves before all have come; remove it"
            )
            yield self.finding(site, message, confidence=0.85, fix=partial(_removed, site))


def _is_barrier(site: Site) -> bool:
    func = site.call.func
    if isinstance(func, ast.Attribute) and ACCELERATOR.search(last_name(func.value)):
        return True
    found = collective(site.file, site.call, site.block)
    return found is not None and found.name == "barrier"


def _training_loop(site: Site) -> Block | None:
    """The training loop in whose iterations the barrier runs, seen in the same function."""
    loop = loop_around(site.block)
    if loop is None or not site.heat.heat.in_step:
        return None
    return loop if site.file.loops.kind(loop) in (LoopKind.STEP, LoopKind.MICRO) else None


def _takes_times(site: Site) -> bool:
    """Whether a clock is read beside the barrier: then it separates what is measured."""
    body = body_around(site.statement, site.block)
    near = body[max(0, body.index(site.statement) - 2) : body.index(site.statement) + 3] if body else []
    return any(
        isinstance(part, ast.Call) and last_name(part.func) in _TIMING for item in near for part in nodes_in(item)
    )


def _following(site: Site) -> Collective | None:
    """The collective in the next statement, if all ranks of the same group wait for each other there."""
    body = body_around(site.statement, site.block)
    barrier = collective(site.file, site.call, site.block)
    if barrier is None or site.statement not in body[:-1]:
        return None
    found = collective_of(site.file, body[body.index(site.statement) + 1], site.block)
    if found is None or found.name not in WAITING_FOR_ALL or found.returns_handle or not same_group(barrier, found):
        return None
    return found


def _removed(site: Site) -> Fix | None:
    from trainlint.fixing.rewrite import attempt, remove_statement

    return attempt(lambda: Fix("Remove the barrier", remove_statement(site.source, site.statement), Safety.UNSAFE))
