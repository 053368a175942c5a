"""What the hooks of one process share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING, Any

from trainlint.evidence.places import Line
from trainlint_probe.watch.ledger import Ledger, Reading, Site
from trainlint_probe.watch.lines import Lines, display_path, frame_at
from trainlint_probe.watch.patches import Patches
from trainlint_probe.watch.phases import PhaseStack

if TYPE_CHECKING:
    from trainlint_probe.budgets.account import Charge


@dataclass(frozen=True, slots=True)
class Counters:
    """All that was counted until a moment. What happened in between is the difference of two."""

    sites: Reading = field(default_factory=dict)
    loaders: Mapping[int, tuple[int, int, int]] = field(default_factory=dict)
    """Batches, and nanoseconds waited and computed, by the loader's number."""
    optimizers: Mapping[int, int] = field(default_factory=dict)
    """Steps, by the optimizer's number."""
    budget: Mapping[Charge, int] = field(default_factory=dict)
    """What a budget limits, where there is one."""


NOTHING = Counters()


class Watch:
    """The clocks and counters of a process, and how its lines are shown."""

    def __init__(self, script_directory: str, directory: str) -> None:
        self.directory = directory
        """What paths are shown relative to."""
        self.phases = PhaseStack()
        self.ledger = Ledger(Lines(script_directory))
        self.patches = Patches()
        self.read_loaders: Callable[[], Mapping[int, tuple[int, int, int]]] = dict
        self.read_optimizers: Callable[[], Mapping[int, int]] = dict
        self.read_budget: Callable[[], Mapping[Charge, int]] = dict
        self.ranges: Any = None
        """torch.profiler.record_function while the profiler runs: calls and their lines are then named in its trace."""
        self.before_backward: Callable[[], None] = lambda: None
        self.after_backward: Callable[[], None] = lambda: None
        self.notes: list[str] = []

    def read(self) -> Counters:
        """All counters now."""
        return Counters(self.ledger.read(), self.read_loaders(), self.read_optimizers(), self.read_budget())

    def line(self, path: str, number: int) -> Line:
        """A line as it is shown."""
        return Line(display_path(path, self.directory), number)

    def line_at(self, frame: FrameType | None) -> Line | None:
        """The user's line that a frame runs or was called from; None where no user's code is on the stack."""
        caller = self.ledger.lines.caller(frame)
        return None if caller is None else self.line(*caller[:2])

    def line_of(self, site: Site | None) -> Line | None:
        """Where a site stands; None where no user's line is known."""
        return self.line(site.path, site.line) if site is not None and site.path else None

    def name_of_backward(self) -> str:
        """What marks a step where backward does, as people know it. Asked by what runs when backward has ended."""
        at = self.line_at(frame_at(1))
        return "backward" if at is None else f"backward at {at.path}:{at.line}"

    def range(self, site: Site) -> AbstractContextManager[Any]:
        """A range in the profiler's trace around a call, while the profiler runs."""
        if self.ranges is None or not site.path:
            return nullcontext()
        at = self.line(site.path, site.line)
        named: AbstractContextManager[Any] = self.ranges(f"TL|{site.kind.name}|{at.path}:{at.line}")
        return named

    def note(self, sentence: str) -> None:
        """Tell the reader something of the measurement, once."""
        if sentence not in self.notes:
            self.notes.append(sentence)
