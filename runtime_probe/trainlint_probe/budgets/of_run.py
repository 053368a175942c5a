"""A run of the probe held against the limits: `trainlint probe --budget`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from trainlint.cli.console import UsageError
from trainlint.evidence.run import Counted, Run
from trainlint_probe.budgets import on_simulation
from trainlint_probe.budgets.account import ALLOCATIONS, GRAPH_BREAKS, OF_A_GPU, asked_of_driver, of_compiling
from trainlint_probe.budgets.ignoring import is_ignored
from trainlint_probe.budgets.judged import Spending, judge
from trainlint_probe.budgets.limits import UnusableBudget, configured_limits, limits_for, typed
from trainlint_probe.budgets.words import (
    BREAKS_UNKNOWN,
    NO_DEVICE,
    NOT_ON_CUDA,
    NOTHING_ON_IT,
    SIMULATED,
    UNKNOWN_ALLOCATIONS,
)
from trainlint_probe.options import Options


def limits_of(options: Options) -> Mapping[str, float]:
    """The limits that a run is held against: those of the configuration around the script, and over them those that
    were typed. Empty where no budget is asked for. Raises UsageError.
    """
    if not options.budget:
        return {}
    of_script = options.script is not None and not options.module
    directory = Path(options.script).absolute().parent if of_script and options.script else Path.cwd()
    try:
        return limits_for({**configured_limits(directory), **typed(options.limits)}, directory)
    except UnusableBudget as error:
        raise UsageError(str(error)) from error


def spendings(runs: Sequence[Run], limits: Mapping[str, float]) -> tuple[Spending, ...]:
    """What each rank spent. A run without steps has nothing to judge, and the exit code says so."""
    return tuple(_spending(run, limits) for run in runs if run.steps) if limits else ()


def _spending(run: Run, limits: Mapping[str, float]) -> Spending:
    asked = _allocations(run)
    not_counted: dict[str, str] = {}
    notes: tuple[str, ...] = ()
    if run.simulated is not None:
        unused = {} if run.simulated.launches or run.simulated.events else dict.fromkeys(OF_A_GPU, NOTHING_ON_IT)
        not_counted, notes = {**on_simulation.NOT_COUNTED, **unused}, (SIMULATED,)
        if run.simulated.breaks_unknown:
            not_counted[GRAPH_BREAKS] = BREAKS_UNKNOWN
        else:
            del not_counted[GRAPH_BREAKS]
    elif run.device != "cuda":
        not_counted = {**dict.fromkeys(OF_A_GPU, NOT_ON_CUDA), ALLOCATIONS: NO_DEVICE}
    elif asked is None:
        not_counted = {ALLOCATIONS: UNKNOWN_ALLOCATIONS}
    return judge(
        (*run.counted, *of_compiling(run.seen), *(asked or ())),
        limits,
        len(run.steps),
        not_counted=not_counted,
        is_ignored=is_ignored,
        notes=notes,
        rank=run.rank,
    )


def _allocations(run: Run) -> tuple[Counted, ...] | None:
    """How often the driver was asked for memory between the ends of the first step and the last; None where that is
    not known.
    """
    held = [step.memory.device_allocations for step in run.steps if step.memory is not None]
    if not held or held[0] is None or held[-1] is None:
        return None
    return asked_of_driver(held[0], held[-1])
