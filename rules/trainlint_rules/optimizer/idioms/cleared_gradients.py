"""Training loops that clear no gradients, and who else may clear them."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.names import dotted, last_name
from trainlint.analysis.tables.clipping import clips_gradients
from trainlint.analysis.tables.host_reads import ITEM
from trainlint.analysis.tables.iterables import only_iterates
from trainlint.analysis.tables.precision import AUTOCAST
from trainlint.contract.guard import guard
from trainlint.finding import LoopKind
from trainlint.patterns import lazy
from trainlint_rules.optimizer.idioms.optimizers import Act, Action, actions

if TYPE_CHECKING:
    from trainlint.analysis.site import Site

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


def uncleared_step(site: Site) -> tuple[Action, Action] | None:
    """The first backward and the first step of a loop over steps, if they come in this order."""
    if site.file.heats.kind(site.loop) is not LoopKind.STEP:
        return None
    found = actions(site.file, site.loop)
    backward = next((item for item in found if item.act is Act.BACKWARD), None)
    step = next((item for item in found if item.act is Act.STEP and not item.closure), None)
    return (backward, step) if backward is not None and step is not None and backward.line <= step.line else None


def _is_harmless(name: str) -> bool:
    """Whether a function of this name clears no gradients."""
    if name in (ITEM.name, AUTOCAST.name) or only_iterates(name) or clips_gradients(name):
        return True
    return bool(_HARMLESS.search(name))
