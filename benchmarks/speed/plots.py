"""The pictures of docs/performance.md. The same results give the same bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.speed.contestants import AST, COLD, FIRST, LIBCST, READ, RUFF_ALL, WARM
from benchmarks.speed.results import Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# A card of its own colour, with dark ink: to be read on a light page and on a dark one.
_PAPER, _INK, _FAINT = "#fbfaf7", "#24292f", "#d8d4cb"
_OURS, _PEER, _LIMIT = "#c2410c", "#52606d", "#9aa5b1"
_LABELS = {
    COLD: "trainlint",
    WARM: "trainlint, nothing changed",
    "torchfix": "TorchFix, all rules",
    "fixit": "Fixit",
    "torch-preflight": "torch-preflight",
    "hotpath-ai": "hotpath-ai",
    "ruff": "ruff",
    RUFF_ALL: "ruff, all rules",
    READ: "bare: read",
    AST: "bare: ast.parse, one walk",
    LIBCST: "bare: libcst.parse_module",
}


def write(results: Results, directory: Path) -> None:
    """Draw what there is to draw."""
    directory.mkdir(exist_ok=True)
    with _settings():
        _save(_speeds(results), directory / "speed-peers.svg")
        if results.growth:
            _save(_growth(results), directory / "speed-growth.svg")
            _save(_memory_growth(results), directory / "speed-memory.svg")


@contextmanager
def _settings() -> Iterator[None]:
    import matplotlib as mpl

    settings: dict[Any, Any] = {
        "svg.hashsalt": "trainlint",
        "svg.fonttype": "path",  # letters as shapes: they look the same wherever the page is read
        "font.family": "DejaVu Sans",
        "font.size": 10,
        "text.color": _INK,
        "axes.edgecolor": _FAINT,
        "axes.labelcolor": _INK,
        "xtick.color": _INK,
        "ytick.color": _INK,
    }
    with mpl.rc_context(settings):
        yield


def _save(figure: Figure, path: Path) -> None:
    figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})


def _figure(width: float, height: float) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), facecolor=_PAPER, layout="constrained")
    axes = figure.add_subplot(facecolor=_PAPER)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(length=0)
    axes.set_axisbelow(True)
    return figure, axes


def _speeds(results: Results) -> Figure:
    """Lines per CPU-second of everybody: the median of the repositories, and a dot for each of them."""
    found = sorted(_speeds_of(results), key=lambda item: median(item[1]))
    figure, axes = _figure(8, 0.8 + 0.42 * len(found))
    for row, (name, speeds) in enumerate(found):
        colour = _OURS if name in (COLD, WARM) else _LIMIT if name in (READ, AST, LIBCST) else _PEER
        axes.barh(row, median(speeds), color=colour, height=0.62)
        axes.plot(speeds, [row] * len(speeds), "o", color=_INK, markersize=2.6, alpha=0.75)
        axes.annotate(f"{median(speeds):,.0f}", (max(speeds), row), (6, 0), textcoords="offset points", va="center")
    axes.set_xscale("log")
    axes.set_xlim(100, max(max(speeds) for _, speeds in found) * 4)
    axes.set_yticks(range(len(found)), [_LABELS[name] for name, _ in found])
    axes.set_xlabel("lines per CPU-second, one core; median, and a dot for each repository")
    axes.grid(axis="x", color=_FAINT, linewidth=0.6)
    axes.xaxis.set_major_formatter(_thousands)
    return figure


def _speeds_of(results: Results) -> Iterator[tuple[str, list[float]]]:
    for name in _LABELS:
        # All files where it judged them, else the sample.
        trees = [each.whole if each.whole.of(name) else each.sampled for each in results.repositories]
        speeds = [tree.lines / runs.cpu for tree in trees if (runs := tree.of(name)) is not None]
        if speeds:
            yield name, speeds


def _growth(results: Results) -> Figure:
    """CPU seconds by the number of files."""
    figure, axes = _figure(8, 4.2)
    lines: Sequence[tuple[str, str, str]] = (
        (FIRST, "trainlint, cold", _OURS),
        (AST, "bare ast.parse and one walk", _LIMIT),
        (WARM, "trainlint, nothing changed", _OURS),
    )
    for name, label, colour in lines:
        points = [(tree.files, runs.cpu) for tree in results.growth if (runs := tree.of(name)) is not None]
        if not points:
            continue
        style = "--" if name == WARM else "-"
        axes.plot(*zip(*points, strict=True), style, marker="o", markersize=4, color=colour)
        axes.annotate(label, points[-1], (8, 0), textcoords="offset points", va="center", color=_INK)
    axes.set_yscale("log")
    axes.set_ylabel("CPU seconds, one core")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    _along_files(axes, results)
    return figure


def _memory_growth(results: Results) -> Figure:
    """Memory by the number of files."""
    figure, axes = _figure(8, 3.6)
    for name, label, style in ((FIRST, "trainlint, cold", "-"), (WARM, "trainlint, nothing changed", "--")):
        points = [(tree.files, runs.peak / 1e6) for tree in results.growth if (runs := tree.of(name)) is not None]
        if points:
            axes.plot(*zip(*points, strict=True), style, marker="o", markersize=4, color=_OURS)
            axes.annotate(label, points[-1], (8, 0), textcoords="offset points", va="center", color=_INK)
    axes.set_ylim(bottom=0)
    axes.set_ylabel("MB, all processes together")
    axes.yaxis.set_major_formatter(_thousands)
    _along_files(axes, results)
    return figure


def _along_files(axes: Axes, results: Results) -> None:
    """The number of files to the right, with room for the names of lines."""
    sizes = [tree.files for tree in results.growth]
    axes.set_xscale("log")
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    axes.set_xticks([], minor=True)
    axes.set_xlim(min(sizes) / 1.3, max(sizes) * 8)
    axes.set_xlabel("files")
    axes.grid(color=_FAINT, linewidth=0.6)


def _thousands(value: float, _: object) -> str:
    return f"{value:,.0f}"
