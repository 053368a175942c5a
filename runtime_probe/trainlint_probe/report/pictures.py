"""The pictures of a run. Each has a caption that says the same in words and numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from statistics import fmean
from typing import TYPE_CHECKING

from trainlint.evidence import Memory, Phase, Run
from trainlint_probe.judgement.step_times import mean_phases
from trainlint_probe.report.drawing import (
    ACCENT,
    INK,
    NARROW,
    PAPER,
    PHASE_COLORS,
    SECOND,
    Picture,
    axes_of,
    picture,
)
from trainlint_probe.report.words import capital
from trainlint_probe.wording.units import duration

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_POINTS = 72
"""To the inch."""
_LETTER = 6.2
"""Points that a letter takes, on the generous side."""
_MOST_COLUMNS = 300
"""Of a long window, several steps share a column: no screen has room for thousands."""
_MOST_IN_WORDS = 8
"""Ranks that a caption names one by one."""
_MOST_HEIGHT = 12.0
"""Inches. Bars of a thousand ranks are thin, and not a yard long in all."""


def step_split(spent: Mapping[Phase, float], of: str = "step") -> Picture:
    """The mean time of a step, or of a "trace" without steps, phase by phase, of at least one."""
    whole = sum(spent.values())
    parts = ", ".join(f"{phase.value} {duration(ms)} ({ms / whole:.1%})" for phase, ms in spent.items())
    what = f"{'A mean step' if of == 'step' else 'A trace'} of {duration(whole)}"

    def draw(width: float) -> Figure:
        figure, axes = axes_of(width, 1.35)
        _stack(axes, 0, spent, width * _POINTS / whole)
        axes.set_xlim(0, whole)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        axes.set_xlabel("milliseconds")
        return figure

    return picture("split", f"Where a {of}'s time goes", f"{what}: {parts}.", draw)


def phases_of_steps(run: Run) -> Picture | None:
    """Each step of the window, phase by phase: whether steps are alike, and which phase makes the long ones."""
    if len(run.steps) < 2:
        return None
    times = [step.ms for step in run.steps]
    together = ceil(len(times) / _MOST_COLUMNS)
    starts = range(0, len(times), together)
    columns = [run.steps[start : start + together] for start in starts]
    phases = [phase for phase in Phase if phase in mean_phases(run)]
    rows = [[fmean(step.phases.get(phase, 0.0) for step in steps) for steps in columns] for phase in phases]
    first = run.warmup + 1

    def draw(width: float) -> Figure:
        from matplotlib.ticker import MaxNLocator

        per_line = 2 if width == NARROW else 4
        figure, axes = axes_of(width, 2.9 + 0.2 * ceil(len(phases) / per_line))
        # One outline for each phase: a rectangle for each step would make a long window a heavy page.
        edges = [first - 0.5 + start for start in (*starts, len(times))]
        below = [0.0] * len(columns)
        for phase, row in zip(phases, rows, strict=True):
            above = [low + ms for low, ms in zip(below, row, strict=True)]
            axes.stairs(above, edges, baseline=below, fill=True, color=PHASE_COLORS[phase], label=phase.value)
            below = above
        axes.set_xlim(edges[0], edges[-1])
        axes.set_ylim(0, max(below) * 1.05)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel("step")
        axes.set_ylabel("milliseconds")
        axes.grid(axis="y")
        figure.legend(loc="outside upper left", ncols=per_line)
        return figure

    slowest = max(run.steps, key=lambda step: step.ms)
    shared = f" A column is the mean of {together} steps." if together > 1 else ""
    caption = (
        f"{len(times)} steps of {min(times):.1f} to {max(times):.1f} ms, {fmean(times):.1f} ms in the mean. "
        f"The longest is step {first + run.steps.index(slowest)}.{shared}"
    )
    return picture("steps", "Each step of the window", caption, draw)


def processes(splits: Mapping[int, Mapping[Phase, float]], straggler: str) -> Picture | None:
    """The mean step of each of several ranks, by rank, beside the others'. `straggler` says who holds them up."""
    if len(splits) < 2:
        return None
    longest = max(sum(split.values()) for split in splits.values())
    present = [phase for phase in Phase if any(phase in split for split in splits.values())]

    def draw(width: float) -> Figure:
        from matplotlib.patches import Patch

        columns = 2 if width == NARROW else 4
        legend = 0.2 * ceil(len(present) / columns)
        figure, axes = axes_of(width, min(1.0 + legend + 0.3 * len(splits), _MOST_HEIGHT))
        for place, split in enumerate(splits.values()):
            _stack(axes, place, split, None)
        every = ceil(len(splits) / 40)
        axes.set_yticks(range(0, len(splits), every), [f"rank {rank}" for rank in list(splits)[::every]])
        axes.set_ylim(len(splits) - 0.5, -0.5)
        axes.set_xlim(0, longest)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel("milliseconds")
        handles = [Patch(color=PHASE_COLORS[phase]) for phase in present]
        figure.legend(handles, [phase.value for phase in present], loc="outside upper left", ncols=columns)
        return figure

    return picture("ranks", "The mean step of each rank", f"{_ranks_in_words(splits)} {straggler}".strip(), draw)


def memory(run: Run) -> Picture | None:
    """The device's memory at the end of each step, or without a device that of the process."""
    marks = [(run.warmup + 1 + place, step.memory) for place, step in enumerate(run.steps) if step.memory]
    if len(marks) < 2:
        return None
    lines = {label: line for label, line in _memory_lines([mark for _, mark in marks]).items() if line}
    if run.device == "cpu":
        lines = {"heap of the process": lines["tensors"]}
    top = max(max(line) for line in lines.values())
    unit, size = ("GiB", 2**30) if top >= 2**30 else ("MiB", 2**20) if top >= 2**20 else ("KiB", 2**10)
    every = ceil(len(marks) / _MOST_COLUMNS)
    looks = {
        "tensors": (ACCENT, "-"),
        "heap of the process": (ACCENT, "-"),
        "most at once": (SECOND, "--"),
        "reserved": (INK, ":"),
    }

    def draw(width: float) -> Figure:
        from matplotlib.ticker import MaxNLocator

        figure, axes = axes_of(width, 2.9)
        for label, line in lines.items():
            color, style = looks[label]
            amounts = [amount / size for amount in line[::every]]
            axes.plot([step for step, _ in marks[::every]], amounts, style, color=color, linewidth=1.8, label=label)
        axes.set_ylim(0, top / size * 1.1)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel("step")
        axes.set_ylabel(unit)
        axes.grid(axis="y")
        figure.legend(loc="outside upper left", ncols=3)
        return figure

    parts = [
        f"{label} {line[0] / size:.1f} {unit} after the first step and {line[-1] / size:.1f} after the last"
        for label, line in lines.items()
    ]
    return picture("memory", "Memory at the end of each step", f"{capital('; '.join(parts))}.", draw)


def _stack(axes: Axes, place: int, split: Mapping[Phase, float], points: float | None) -> None:
    """A bar of phases, with names and numbers in the parts that have room; `points` is the width of a millisecond."""
    start, whole = 0.0, sum(split.values())
    for phase, ms in split.items():
        axes.barh(place, ms, left=start, height=0.8, color=PHASE_COLORS[phase], edgecolor=PAPER, linewidth=1)
        if points is not None:
            lines = (phase.value, f"{ms:.1f} ms", f"{ms / whole:.0%}")
            if max(map(len, lines)) * _LETTER < ms * points:
                # Of the palette, only this blue is too dark for dark letters.
                color = "white" if phase is Phase.FORWARD else "#1b1b1b"
                axes.text(start + ms / 2, place, "\n".join(lines), ha="center", va="center", color=color, fontsize=10)
        start += ms


def _ranks_in_words(splits: Mapping[int, Mapping[Phase, float]]) -> str:
    """Each rank with its longest phase, and the two ends of them where they are many."""
    times = {rank: sum(split.values()) for rank, split in splits.items()}
    named = (
        sorted(times)
        if len(times) <= _MOST_IN_WORDS
        else sorted(times, key=lambda rank: times[rank])[:: len(times) - 1]
    )
    longest = {rank: max(splits[rank], key=lambda phase: splits[rank][phase]) for rank in named}
    words = [
        f"rank {rank}: {times[rank]:.1f} ms, its longest phase {phase.value} ({splits[rank][phase]:.1f} ms)"
        for rank, phase in longest.items()
    ]
    ends = "" if len(named) == len(times) else f"{len(times)} ranks, of which the quickest and the slowest are "
    return f"{capital(ends + '; '.join(words))}."


def _memory_lines(marks: Sequence[Memory]) -> dict[str, list[int]]:
    """What is known of every mark: a line with holes would tell of memory that was given back."""
    return {
        "tensors": [mark.allocated for mark in marks],
        "most at once": _whole(mark.peak for mark in marks),
        "reserved": _whole(mark.reserved for mark in marks),
    }


def _whole(amounts: Iterator[int | None]) -> list[int]:
    known = list(amounts)
    return [amount for amount in known if amount is not None] if None not in known else []
