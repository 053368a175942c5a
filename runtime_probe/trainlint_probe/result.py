"""What one call of `trainlint probe` found out, ready to be shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainlint.evidence import Judged, Run, Verdict
from trainlint.records import dataclass

if TYPE_CHECKING:
    from trainlint_probe.traces.memory_snapshot import MemoryReading
    from trainlint_probe.traces.ranks import RanksReading
    from trainlint_probe.traces.reading import TraceReading
    from trainlint_probe.traces.timeline import Timeline
    from trainlint_probe.verify.result import Verification


@dataclass(frozen=True, slots=True)
class Result:
    """Of a run, of a trace, or of a run that was looked at with a profiler at its end."""

    runs: tuple[Run, ...]
    """One for each process, the one to speak of first."""
    verdicts: tuple[Verdict, ...]
    readings: TraceReading | RanksReading | None = None
    """What the trace shows, or the traces of all ranks."""
    timeline: Timeline | None = None
    memory: MemoryReading | None = None
    comparisons: tuple[Verification, ...] = ()
    """What came of trying fixes."""
    judged: Judged = Judged()
    """The source files that `verdicts` are about."""

    @property
    def reading(self) -> TraceReading | None:
        """The trace to speak of: of several ranks, the first."""
        from trainlint_probe.traces.ranks import RanksReading

        return self.readings.ranks[0] if isinstance(self.readings, RanksReading) else self.readings
