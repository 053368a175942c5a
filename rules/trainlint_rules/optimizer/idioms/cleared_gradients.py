"""Training loops that clear no gradients, and who else may clear them."""

from __future__ import annotations

import ast
import re
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from trainlint.analysis.syntax.blocks import BlockKind
from trainlint.analysis.syntax.names import dotted, last_name, position
from trainlint.analysis.tables.clipping import clips_gradients
from trainlint.analysis.tables.host_reads import ITEM
from trainlint.analysis.tables.iterables import only_iterates
from trainlint.analysis.tables.optimizers import STEPPED_NAME
from trainlint.analysis.tables.precision import AUTOCAST
from trainlint.analysis.types.values import Kind
from trainlint.analysis.types.vocabulary import SCALER_NAME
from trainlint.contract.guard import guard
from trainlint.finding import LoopKind
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel
    from trainlint.analysis.site import Site
    from trainlint.analysis.syntax.blocks import Place

_MAY_CLEAR = lazy(r"optim|(^|_)opt($|_)|trainer|engine|^self$", re.IGNORECASE)
"""What a function out of sight must be given to clear gradients."""
_HARMLESS = lazy(
    r"^(backward|step|scale|unscale_|update|train|eval|parameters|state_dict|save\w*|print|len|isinstance|"
    r"append|log\w*|format|get_last_lr|join|str|int|float|no_grad|dict|getattr)$"
)


@guard
def overwritten(site: Site) -> bool:
    """The file writes to `.grad` by itself."""
    written = (".grad.data", ".grad.zero_", ".grad.fill_", ".grad.copy_")
    stores = site.file.outline.stores.get("grad", ())
    return any(isinstance(place.statement, ast.Assign) for place in stores) or any(
        words in site.source.text for words in written
    )


@guard
def given_away(site: Site) -> bool:
    """A function that trainlint cannot see gets the optimizer, or an engine's step clears gradients."""
    for place in site.file.outline.all_calls():
        call = place.node
        if not isinstance(call, ast.Call) or not place.block.within(site.block) or call in site.file.graph.callee:
            continue
        owner = [call.func.value] if isinstance(call.func, ast.Attribute) else []
        given = [*owner, *call.args, *(item.value for item in call.keywords)]
        if not _is_harmless(last_name(call.func)) and any(_MAY_CLEAR.search(dotted(item) or "") for item in given):
            return True
    return False


class Step(NamedTuple):
    """A step of an optimizer, by itself or through a gradient scaler."""

    optimizer: str
    line: int
    sure: bool
    """Whether more than names says what it is."""


def uncleared_step(site: Site) -> tuple[ast.Call, Step] | None:
    """The first backward and the first step of a loop over steps, if they come in this order."""
    if site.file.heats.kind(site.loop) is not LoopKind.STEP:
        return None
    backward = next((call for call, _, _ in _methods(site, "backward", "manual_backward")), None)
    steps = (_step(site.file, *method) for method in _methods(site, "step"))
    step = next((item for item in steps if item is not None), None)
    return (backward, step) if backward is not None and step is not None and backward.lineno <= step.line else None


def _methods(site: Site, *names: str) -> list[tuple[ast.Call, ast.expr, Place]]:
    """The calls of methods in a loop, in the order of the text, without those of inner functions, and their owners."""
    found = []
    for place in (place for name in names for place in site.file.outline.calls.get(name, ())):
        around = takewhile(lambda block: block.kind is not BlockKind.FUNCTION, place.block.outwards())
        if isinstance(place.node, ast.Call) and isinstance(place.node.func, ast.Attribute) and site.loop in around:
            found.append((place.node, place.node.func.value, place))
    return sorted(found, key=lambda method: position(method[0]))


def _step(file: SemanticModel, call: ast.Call, owner: ast.expr, place: Place) -> Step | None:
    value, name = file.kinds.of(owner, place.block), last_name(owner)
    if value.kind is Kind.SCALER or SCALER_NAME.search(name):
        return Step(ast.unparse(call.args[0]), call.lineno, sure=True) if call.args else None
    closure = bool(call.args or call.keywords)
    stepped = value.kind is Kind.OPTIMIZER or (value.kind is not Kind.SCHEDULER and STEPPED_NAME.search(name))
    sure = value.kind is Kind.OPTIMIZER and value.proved
    return Step(ast.unparse(owner), call.lineno, sure) if stepped and not closure else None


def _is_harmless(name: str) -> bool:
    """Whether a function of this name clears no gradients."""
    if name in (ITEM.name, AUTOCAST.name) or only_iterates(name) or clips_gradients(name):
        return True
    return bool(_HARMLESS.search(name))
