"""What one call of `trainlint probe` found out, ready to be shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trainlint.evidence.run import Run
from trainlint.evidence.verdicts import Judged, Verdict

if TYPE_CHECKING:
    from trainlint.finding import Failure
    from trainlint_probe.budgets.judged import Spending
    from trainlint_probe.traces.ranks import RanksReading
    from trainlint_probe.traces.reading import TraceReading


@dataclass(frozen=True, slots=True)
class Ignored:
    """How many findings the user has silenced."""

    by_comments: int = 0
    by_configuration: int = 0
    """Of what only a run shows. What else the configuration turns off is not looked for."""


@dataclass(frozen=True, slots=True)
class Unjudged:
    """What no verdict speaks of, and a reader might take for judged."""

    failures: tuple[Failure, ...] = ()
    """What could not be judged, be it a file or a rule on a file."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Files that were at work and were not to be judged → why."""
    ignored: Ignored = Ignored()


EVERYTHING_JUDGED = Unjudged()


@dataclass(frozen=True, slots=True)
class Result:
    """Of a run, of a trace, or of a run that was looked at with a profiler at its end."""

    runs: tuple[Run, ...]
    """One for each process, the one to speak of first."""
    verdicts: tuple[Verdict, ...]
    readings: TraceReading | RanksReading | None = None
    """What the trace shows, or the traces of all ranks."""
    judged: Judged = field(default_factory=Judged)
    """The source files that `verdicts` are about."""
    unjudged: Unjudged = EVERYTHING_JUDGED
    budgets: tuple[Spending, ...] = ()
    """What each rank spent, where a budget was asked for."""

    @property
    def reading(self) -> TraceReading | None:
        """The trace to speak of: of several ranks, the first."""
        from trainlint_probe.traces.ranks import RanksReading

        return self.readings.ranks[0] if isinstance(self.readings, RanksReading) else self.readings
