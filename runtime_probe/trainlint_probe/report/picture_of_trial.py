"""The picture of what came of trying a fix: step times without and with it, and how sure the difference is."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from trainlint_probe.report.drawing import ACCENT, DEVICE, INK, Picture, picture, plain
from trainlint_probe.verify.result import Trial, Verification

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def comparison(tried: Verification, number: int) -> Picture | None:
    """The step times without and with a fix, and how sure the difference is. `number` tells it from others."""
    before = _steps(tried.before[1:])  # the first run is a rehearsal
    after = _steps(tried.after)
    speed = tried.speed
    if speed is None or not before or not after:
        return None
    # One step in fifty may be so long that the others would be a line at the left edge.
    both = sorted((*before, *after))
    low, high = both[0], both[int(0.98 * (len(both) - 1))]
    high += 0.05 * (high - low) or 0.05 * high
    beyond = sum(ms > high for ms in both)

    def draw(width: float) -> Figure:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(width, 3.6), facecolor="none", layout="constrained")
        upper, lower, ratio = figure.subplots(3, 1, height_ratios=(3, 3, 1.2))
        lower.sharex(upper)
        lower.sharey(upper)
        for axes, times, label, color in ((upper, before, "without", DEVICE), (lower, after, "with the fix", ACCENT)):
            plain(axes)
            axes.set_facecolor("none")
            axes.hist(times, bins=40, range=(low, high), color=color)
            axes.axvline(fmean(times), color=INK, linewidth=1.5)
            axes.set_ylabel(label)
            axes.set_yticks([])
        upper.tick_params(labelbottom=False)
        lower.set_xlabel("milliseconds a step (line: mean)")
        plain(ratio)
        ratio.set_facecolor("none")
        ratio.plot([speed.low, speed.high], [0, 0], color=ACCENT, linewidth=5, solid_capstyle="butt")
        ratio.plot([speed.value], [0], "o", color=INK, markersize=6)
        ratio.axvline(1, color=INK, linewidth=1, linestyle=":")
        ratio.set_yticks([])
        ratio.margins(x=0.15, y=1)
        ratio.spines["left"].set_visible(False)
        ratio.set_xlabel("times as long as without the fix (dotted: as long)")
        return figure

    left_out = f" {beyond} longer than {high:.1f} ms are not drawn." if beyond else ""
    caption = (
        f"{len(before)} steps without the fix take {fmean(before):.2f} ms in the mean, {len(after)} with it "
        f"{fmean(after):.2f} ms. That is {speed.value:.3f} times as long, 95% interval {speed.low:.3f} to "
        f"{speed.high:.3f}.{left_out}"
    )
    return picture(f"tried-{number}", f"Step times without and with the fix of {tried.code}", caption, draw)


def _steps(trials: Sequence[Trial]) -> list[float]:
    return [ms for trial in trials for ms in trial.step_ms]
