"""In which mode a model is when it trains or is evaluated, and who may set it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trainlint.analysis.programs.evaluation import forwards_with_graph, model_run_by
from trainlint.analysis.programs.modes import may_set_training, switched
from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.syntax.names import dotted
from trainlint.contract.guard import guard
from trainlint.finding import LoopKind

if TYPE_CHECKING:
    from trainlint.analysis.site import Site


@guard
def set_back(site: Site) -> bool:
    """The file sets, or may set, training mode again."""
    return may_set_training(site.file)


def trained_epochs(site: Site) -> list[Block]:
    """The loops over epochs around a call of `eval` whose next round trains the same model."""
    name = dotted(switched(site.place))
    if name is None or name in ("self", "cls"):
        return []
    return [epochs for epochs, line in _epochs_around(site) if _trains_before(site, epochs, name, line)]


def _epochs_around(site: Site) -> Iterator[tuple[Block, int]]:
    """The loops over epochs around the call, each with the line at which it leads there."""
    places = [site.place]
    if site.function is not None:
        edges = site.file.graph.callers.get(site.function, ())
        places += [edge.place for edge in edges if not edge.passed]
    for place in places:
        for around in place.block.loops():
            if site.file.heats.kind(around) is LoopKind.EPOCH:
                yield around, place.statement.lineno


def _trains_before(site: Site, epochs: Block, name: str, line: int) -> bool:
    """Whether an epoch runs the model with a graph, in a loop over steps that stands above the line."""
    for place in forwards_with_graph(site.file, epochs):
        model = model_run_by(site.file, place)
        same = model is not None and dotted(model) == name and place.statement.lineno < line
        if same and any(site.file.heats.kind(item) is LoopKind.STEP for item in place.block.outwards()):
            return True
    return False
