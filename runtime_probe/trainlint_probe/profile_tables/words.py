"""What the terminal and the page say alike of the tables: where they come from, how much of a step they cover."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from trainlint.evidence import Run
from trainlint.report.words import count
from trainlint_probe.judgement.step_times import LineTime
from trainlint_probe.profile_tables.modules import Modules, ModuleTime
from trainlint_probe.profile_tables.operators import Operators, OperatorTime
from trainlint_probe.profile_tables.tables import ProfileTables

_LEAST = 0.005
"""Of a step: less would be printed as 0%."""


def of_what(tables: ProfileTables) -> str:
    """What the times are of: a step, or the trace where it tells none apart."""
    return "a step" if tables.steps else "the trace"


def origin(tables: ProfileTables, run: Run | None) -> str:
    """Which steps the tables are of, and what it took to record them."""
    if run is None:
        steps = (
            f"{count(tables.steps, 'step')} of the trace" if tables.steps else "the whole trace, which marks no steps"
        )
        return f"From {steps}; PyTorch's profiler makes steps longer."
    measured = f", {fmean(step.ms for step in run.steps):.1f} ms without it" if run.steps else ""
    took = f"; recording them took {run.profiled_s:.1f} s" if run.profiled_s is not None else ""
    return (
        f"From {count(tables.steps or 1, 'step')} after the measured ones, under PyTorch's profiler: "
        f"{tables.step_ms:.1f} ms a step there{measured}{took}."
    )


def operators_covered(operators: Operators, step_ms: float) -> str:
    """How much of a step the operators are, and what the rest is."""
    share = operators.covered_ms / step_ms
    host = f"Operators take {share:.0%} of the host's time; the rest is Python, waiting and the profiler itself"
    return f"{host}.{_of_device(operators)}"


def modules_covered(modules: Modules, step_ms: float) -> str:
    """How much of a step the modules are, forward and backward."""
    device = _of_device(modules)
    forward = f"forward {modules.forward_ms / step_ms:.0%}"
    if modules.backward_ms is None:
        return f"Modules take {forward} of the host's time; the trace does not say whose backward is.{device}"
    backward = f"backward {modules.backward_ms / step_ms:.0%}"
    whole = (modules.forward_ms + modules.backward_ms) / step_ms
    unlinked = (
        f"; {modules.unlinked_ms / step_ms:.0%} is backward of no module"
        if modules.unlinked_ms >= _LEAST * step_ms
        else ""
    )
    return f"Modules take {whole:.0%} of the host's time ({forward}, {backward}){unlinked}.{device}"


def _of_device(rows: Operators | Modules) -> str:
    """How much of the device's work they asked for; empty without a device."""
    if not rows.device_ms or rows.device_covered_ms is None:
        return ""
    share = rows.device_covered_ms / rows.device_ms
    return f" They asked for {share:.0%} of the device's work ({rows.device_ms:.1f} ms)."


def lines_covered(lines: Sequence[LineTime], looks: int) -> str:
    """How much of a step the lines are."""
    share = sum(item.share for item in lines)
    return f"These lines take {share:.0%} of the step, by {count(looks, 'look')}."


def time_of_operator(row: OperatorTime) -> float:
    """What the table is sorted by: the device's time where there is one, or else the host's."""
    return row.own_ms if row.device_ms is None else row.device_ms


def time_of_module(row: ModuleTime) -> float:
    """Likewise of a module."""
    return row.own_ms if row.device_ms is None else row.device_ms
