"""In which mode a model is when it trains or is evaluated, and who may set it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from trainlint.analysis.programs.evaluation import forwards_with_graph, model_run_by
from trainlint.analysis.programs.modes import may_set_training, switched
from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.syntax.names import dotted, last_name
from trainlint.contract.guard import guard
from trainlint.finding import LoopKind

if TYPE_CHECKING:
    from trainlint.analysis.site import Site

_PART_BY_PART = ("children", "modules", "named_modules", "apply")
"""Ways to set the mode of a model's parts one by one."""
_KEEP_MODE = ("print", "len", "isinstance", "save", "deepcopy")


@guard
def set_back(site: Site) -> bool:
    """The file sets, or may set, training mode again."""
    return may_set_training(site.file)


@guard
def set_part_by_part(site: Site) -> bool:
    """The file loops over the model's parts and may set their modes one by one."""
    return any(True for _ in site.calls(*_PART_BY_PART))


@guard
def handed_over(site: Site) -> bool:
    """A function that trainlint cannot see gets the model and may set its mode."""
    return all(_is_handed_over(site, epochs) for epochs in trained_epochs(site))


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


def _is_handed_over(site: Site, epochs: Block) -> bool:
    """Whether an epoch gives the model to a function that the file does not hold."""
    name = dotted(switched(site.place))
    for place in site.file.outline.all_calls():
        call = place.node
        if not isinstance(call, ast.Call) or not place.block.within(epochs) or call in site.file.graph.callee:
            continue
        given = (*call.args, *(keyword.value for keyword in call.keywords))
        if last_name(call.func) not in _KEEP_MODE and any(dotted(item) == name for item in given):
            return True
    return False
