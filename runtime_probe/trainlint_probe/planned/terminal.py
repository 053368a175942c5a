"""A plan on the terminal: a bar for each strategy, its parts in a table, and two sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rich.text import Text

from trainlint.planning.choice import recommended
from trainlint.planning.fits import TIGHT, Outlook
from trainlint.planning.memory import knows_activations
from trainlint.report.characters import quoted, sentence
from trainlint.report.settings import Style
from trainlint.report.terminal import as_written, sentences, wrapped
from trainlint_probe.planned.plan import Plan
from trainlint_probe.planned.words import count, gigabytes, seconds

_PARTS = (
    ("W", "weights", "blue"),
    ("G", "gradients", "cyan"),
    ("M", "master copy", "bright_blue"),
    ("O", "optimizer", "magenta"),
    ("A", "activations", "green"),
    ("L", "logits and loss", "yellow"),
    ("B", "buffers", "bright_black"),
    ("C", "CUDA context", "white"),
    ("F", "fragmentation", "white"),
)
"""Of each part its letter, so that a bar can be read without colour, its name and its colour."""
_NARROWEST, _WIDEST = 10, 30
"""Columns of a bar."""
_BESIDE = 30
"""Columns beside a bar and its title: marks, gigabytes and verdict."""


def render(plan: Plan, style: Style) -> str:
    """The plan as text."""
    return as_written(_lines(plan, style), style)


def _lines(plan: Plan, style: Style) -> Iterator[Text]:
    model, cluster = plan.model, plan.training.cluster
    idle = model.transformer.idle if model.transformer else 0
    said = [f"a token passes {count(model.parameters - idle)}"] if idle else []
    said += [] if model.trained == model.parameters else [f"{count(model.trained)} are trained"]
    trained = f" ({', '.join(said)})" if said else ""
    nodes = f" on {cluster.nodes} nodes" if cluster.nodes > 1 else ""
    gpu = f" {plan.gpu}" if plan.gpu else ""
    head = (
        f"{quoted(model.name)}: {count(model.parameters)} parameters{trained}; "
        f"{cluster.gpus}{gpu} GPU{'s' if cluster.gpus > 1 else ''}{nodes} of {gigabytes(cluster.memory)}"
    )
    yield from sentences(head, style, "bold", indent="  ")
    if model.parts:
        parts = ", ".join(f"{part.name} {count(part.parameters)}" for part in model.parts)
        yield from wrapped(Text(f"Counted: {parts}."), style, indent="  ")
    for note in model.notes:
        yield from wrapped(Text.assemble(("note: ", "bold"), sentence(note, unicode=style.unicode)), style, indent="  ")
    yield Text()
    width = max(len(item.strategy.title) for item in plan.outlooks)
    columns = max(_NARROWEST, min(_WIDEST, style.width - width - _BESIDE))
    chosen = recommended(plan.outlooks)
    for item in plan.outlooks:
        yield _bar(item, plan, width, columns, is_chosen=item is chosen)
    yield from _legend(plan, style.width)
    yield Text()
    yield from _table(plan, width, style)
    yield Text()
    yield from sentences(plan.recommendation, style)
    yield from _instead(plan, style)
    yield Text()
    for assumption in plan.assumptions():
        line = Text.assemble(("assumed: ", "bold"), sentence(assumption, unicode=style.unicode))
        yield from wrapped(line, style, indent="  ")


def _instead(plan: Plan, style: Style) -> Iterator[Text]:
    """Where nothing fits: what the cheapest changes are that do, and what each change gives alone."""
    found = plan.instead
    if found is None:
        return
    for change in found.cheapest.changes if found.cheapest else ():
        line = Text.assemble((f"  {change.flags}", "bold"), f": {change.what}")
        yield from wrapped(line, style, indent="    ")
    if found.alone:
        yield Text()
        width = max(len(item.flags) for item in found.alone)
        yield Text(f"  {'Each change alone':<{width}}  GB on each GPU", "bold")
        for item in found.alone:
            verdict, color = ("fits", "") if item.outlook.fits else ("does not fit", "red")
            held = _short(item.outlook.memory.total)
            yield Text.assemble(f"  {item.flags:<{width}}  {held:>14}  {item.outlook.strategy.key}, ", (verdict, color))
    if found.left_out:
        yield from wrapped(Text(f"  {found.left_out}"), style, indent="  ")


def _bar(item: Outlook, plan: Plan, width: int, columns: int, *, is_chosen: bool) -> Text:
    """One strategy: its parts as letters, against the memory of a GPU."""
    scale = plan.training.cluster.memory / columns
    drawn, total = Text(), 0.0
    for (_, value), (letter, _, color) in zip(item.memory.parts(), _PARTS, strict=True):
        before, total = round(total / scale), total + value
        drawn.append(letter * max(0, min(round(total / scale), columns) - before), color)
    rest = max(0, columns - round(total / scale))
    verdict, color = (
        ("does not fit", "red") if not item.fits else ("tight", "yellow") if item.share > TIGHT else ("", "")
    )
    return Text.assemble(
        ("> " if is_chosen else "  ", "bold"),
        (f"{item.strategy.title:<{width}} ", "bold" if is_chosen else ""),
        ("|", ""),
        drawn,
        (" " * rest, ""),
        ("|" if item.fits else ">", "" if item.fits else "red"),
        f" {gigabytes(item.memory.total):>9}  ",
        (verdict, color),
    )


def _legend(plan: Plan, width: int) -> Iterator[Text]:
    """The letters of the bars, with no line break between a letter and its name."""
    used = {name for item in plan.outlooks for name, value in item.memory.parts() if value}
    line = Text("  ")
    for letter, name, color in _PARTS:
        if name not in used:
            continue
        if len(line) + len(name) + 2 > width:
            yield line
            line = Text("  ")
        line.append(f"{letter} ", color)
        line.append(f"{name}  ")
    yield line


def _table(plan: Plan, width: int, style: Style) -> Iterator[Text]:
    """GB by part, GB sent, and times. What a narrow terminal has no room for is left out, the last columns first."""
    columns = list(_columns(plan))
    while len(columns) > 2 and width + 2 + sum(_width(head) for head, _ in columns) > style.width:
        columns.pop()
    yield Text(f"  {'GB on each GPU':<{width}}" + "".join(f"{head:>{_width(head)}}" for head, _ in columns), "bold")
    for item in plan.outlooks:
        row = "".join(f"{cell(item):>{_width(head)}}" for head, cell in columns)
        yield Text(f"  {item.strategy.title:<{width}}{row}")
    kinds = ", ".join(f"{name} {gigabytes(value)}" for name, value in plan.activations_by_kind())
    if kinds:
        yield from wrapped(Text(f"  Activations of a micro-batch: {kinds}."), style, indent="  ")
    if any(item.memory.host for item in plan.outlooks):
        host = max(item.memory.host for item in plan.outlooks)
        yield Text(f"  The optimizer on the CPU takes {gigabytes(host)} of its memory for each GPU.")


def _columns(plan: Plan) -> Iterator[tuple[str, Callable[[Outlook], str]]]:
    """Heads and what stands below them, the most telling first."""
    known = knows_activations(plan.model)
    yield "states", lambda item: _short(item.memory.states)
    if known:
        yield "activations", lambda item: _short(_of_layers(item))
        yield "batch up to", lambda item: str(item.largest_batch)
    yield "sent", lambda item: _short(item.traffic.total)
    yield "sending", lambda item: seconds(item.duration.sending)
    if any(item.duration.computing is not None for item in plan.outlooks):
        yield "computing", lambda item: seconds(item.duration.computing)
    yield "model up to", lambda item: count(plan.largest_model(item.strategy))
    yield "other", lambda item: _short(item.memory.total - item.memory.states - _of_layers(item))


def _of_layers(item: Outlook) -> float:
    return (item.memory.activations or 0) + item.memory.logits


def _width(head: str) -> int:
    return max(len(head), 7) + 2


def _short(value: float) -> str:
    return f"{value / 1e9:,.1f}"
