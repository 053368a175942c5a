"""The tables of one trace, and the words about where they come from."""

from __future__ import annotations

from dataclasses import dataclass

from trainlint_probe.profile_tables.modules import Modules, modules_of
from trainlint_probe.profile_tables.operators import Operators, operators_of
from trainlint_probe.traces.device_work.launched_work import asked_in, launch_times
from trainlint_probe.traces.events import Trace
from trainlint_probe.traces.steps import window_of


@dataclass(frozen=True, slots=True)
class ProfileTables:
    """The operators and modules of steps that PyTorch's profiler recorded. Times are milliseconds per step."""

    steps: int
    """How many are read: the first that was recorded is not, where there are more. 0 where the trace tells none
    apart: times are then those of the whole trace."""
    step_ms: float
    """The mean of these steps, which the profiler slows."""
    operators: Operators | None
    modules: Modules | None
    """None where the trace knows no modules."""


def tables_of(trace: Trace) -> ProfileTables | None:
    """The tables of a trace; None where it has neither operators nor modules, or no stretch of time."""
    window = window_of(trace)
    if window.ms <= 0:
        return None
    calls = trace.calls_by_correlation()
    asked = asked_in(window, trace.work, launch_times(trace.work, calls))
    operators, modules = operators_of(trace, window, asked, calls), modules_of(trace, window, asked, calls)
    if operators is None and modules is None:
        return None
    return ProfileTables(len(window.steps), window.ms / window.count, operators, modules)
