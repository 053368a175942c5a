"""The picture of one step of a trace: what the host does, and what the device does meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING

from trainlint.evidence import Phase
from trainlint_probe.report.drawing import DEVICE, INK, NARROW, PHASE_COLORS, Picture, axes_of, picture
from trainlint_probe.traces.timeline import Timeline
from trainlint_probe.wording.units import duration

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def timeline_picture(line: Timeline) -> Picture:
    """A step of a trace: phases of the host, its waits for the device, and what the device does meanwhile."""
    lanes = {
        "waits": tuple((wait.start, wait.end) for wait in line.waits),
        "kernels": line.kernels,
        "copies": line.copies,
        "collectives": line.communication,
    }
    lanes = {label: spans for label, spans in lanes.items() if spans}
    present = [phase for phase in Phase if line.phases.get(phase)]

    def draw(width: float) -> Figure:
        columns = 2 if width == NARROW else 4
        figure, axes = axes_of(width, 1.0 + 0.34 * len(lanes) + 0.2 * ceil(len(present) / columns))
        # What is left over comes first: where a gap was closed, what has a name is seen.
        for phase in reversed(present):
            axes.broken_barh(
                _from_and_for(line.phases[phase]), (-0.4, 0.8), facecolor=PHASE_COLORS[phase], label=phase.value
            )
        for place, (label, spans) in enumerate(lanes.items(), 1):
            color = INK if label == "waits" else DEVICE
            axes.broken_barh(_from_and_for(spans), (place - 0.4, 0.8), facecolor=color)
        # A mark at each: most waits are too short to be seen.
        axes.plot([wait.start for wait in line.waits], [0.6] * len(line.waits), "v", color=INK, markersize=5)
        axes.set_yticks(range(1 + len(lanes)), ["host", *lanes])
        axes.set_ylim(0.5 + len(lanes), -0.5)
        axes.set_xlim(0, line.ms)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel("milliseconds")
        handles, labels = axes.get_legend_handles_labels()
        figure.legend(handles[::-1], labels[::-1], loc="outside upper left", ncols=columns)
        return figure

    longest = sorted(line.waits, key=lambda wait: wait.start - wait.end)[:3]
    named = ", ".join(f"{duration(wait.end - wait.start)} at {wait.place}" for wait in longest)
    waits = f"The host waits for the device {_times(len(line.waits))}{f', longest {named}' if named else ''}."
    on_device = waits if lanes else "The trace has no work of a device."
    whole = f"Step {line.number} of {line.of}" if line.of else "The whole trace"
    caption = f"{whole}, {duration(line.ms)}. {on_device} Gaps below {duration(line.finest)} are not drawn."
    title = f"{'One step' if line.of else 'The trace'} on host and device"
    return picture("timeline", title, caption, draw)


def _from_and_for(spans: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    return [(start, end - start) for start, end in spans]


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
