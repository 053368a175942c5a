"""Runs a script on the simulated GPU, in this process, and counts what its lines do in some steps."""

from __future__ import annotations

import contextlib
import io
import os
import runpy
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook

from benchmarks.simulated.plans import At
from trainlint_probe.simulated.events import HOST_TO_DEVICE, Cause, Kind
from trainlint_probe.simulated.simulation import Simulation

RANKS = 4
"""Of scripts that make a process group."""


class Enough(BaseException):
    """All steps that were asked for have been taken. No exception that scripts or frameworks would catch."""


@contextlib.contextmanager
def steps_told(after: Any) -> Iterator[None]:
    """Call `after` when a step ends: when the optimizer that was the first to step has stepped."""
    first: list[Any] = []

    def stepped(optimizer: Any, *_: Any) -> None:
        if not first:
            first.append(optimizer)
        if optimizer is first[0]:
            after()

    hook = register_optimizer_step_post_hook(stepped)
    try:
        yield
    finally:
        hook.remove()


def run_script(script: Path) -> None:
    """Run it as Python would, without its output, until it ends or has taken enough steps."""
    with mock.patch.object(sys, "argv", [str(script)]), contextlib.redirect_stdout(io.StringIO()):
        try:
            runpy.run_path(str(script), run_name="__main__")
        except Enough:
            pass
        finally:
            if torch.distributed.is_available() and torch.distributed.is_initialized():
                torch.distributed.destroy_process_group()


def counted(script: Path, *, warmup: int, steps: int) -> Mapping[At, int]:
    """What each line did in `steps` steps after the first `warmup`. Raises ValueError where there are not so many."""
    is_distributed = "init_process_group" in script.read_text(encoding="utf-8")
    simulation = Simulation(devices=RANKS if is_distributed else 1)

    def after() -> None:
        simulation.log.step += 1
        if simulation.log.step == warmup + steps:
            raise Enough

    environment = {"LOCAL_RANK": "0"} if is_distributed else {}
    with mock.patch.dict(os.environ, environment), _one_thread(), simulation, steps_told(after):
        run_script(script)
    if simulation.log.step < warmup + steps:
        raise ValueError(f"{script.name} took {simulation.log.step} steps, not {warmup + steps}")
    found: Counter[At] = Counter()
    for cause, happened in simulation.log.events.items():
        count = sum(count for step, count in happened.by_step.items() if warmup <= step < warmup + steps)
        if count:
            found[At(_line(cause, script), _kind(cause))] += count
    return found


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Tensors are tiny: threads would only wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _line(cause: Cause, script: Path) -> int:
    """The innermost line of the script; 0 where none led there."""
    return next((place.line for place in cause.chain if place.path == str(script)), 0)


def _kind(cause: Cause) -> str:
    if cause.what.kind is not Kind.COPY:
        kind: str = cause.what.kind.value
        return kind
    return "copy to device" if cause.what.direction == HOST_TO_DEVICE else "copy to host"
