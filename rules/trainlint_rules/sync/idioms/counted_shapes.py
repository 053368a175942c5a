"""Calls whose result has as many elements as the device's data say."""

from __future__ import annotations

import ast
import re

from trainlint.analysis.conditions.questions import runs_where_missing
from trainlint.analysis.effects.forward import computes
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, has_unpacked_arguments, last_name
from trainlint.contract.confidence import doubted, level
from trainlint.contract.guard import early_guard
from trainlint.finding import Confidence, Heat
from trainlint.patterns import lazy

SIZED = {"repeat_interleave": ("output_size", 1), "one_hot": ("num_classes", 0)}
"""Calls that may be told the size: by which argument, and where the tensor stands that decides it otherwise."""
_MAKES_RESULTS = lazy(r"inference|predict|generate|post_?process|(^|_)infer($|_)", re.IGNORECASE)
"""Functions that a forward pass calls when it does not train."""


@early_guard
def may_not_train(site: Site) -> bool:
    """Trainlint cannot tell how often it runs, and it is in no forward pass or loss that trains."""
    if site.heat.heat.in_step:
        return False
    makes_results = site.function is not None and _MAKES_RESULTS.search(site.function.name)
    return bool(makes_results) or runs_where_missing(site.conditions) or not computes(site.file, site.block)


def sure_of_wait(site: Site, known: float) -> Confidence:
    """How sure a wait is: by what is known of the tensor, and by whether a training loop is in sight."""
    return min(level(known), doubted(site.heat.heat is Heat.UNKNOWN, level(known) < Confidence.CERTAIN))


def _operands_of_call(site: Site) -> list[ast.expr]:
    """What a function of torch, or a method together with its tensor, is given; nothing for other calls."""
    origin = site.origin(site.call.func)
    if has_unpacked_arguments(site.call) or (origin is not None and not origin.startswith("torch.")):
        return []
    if origin is not None:
        return site.call.args
    return [site.receiver, *site.call.args] if isinstance(site.call.func, ast.Attribute) else []


def deciding_tensor(site: Site) -> ast.expr | None:
    """The tensor whose values decide the shape; None where the call says the shape itself."""
    call, given = site.call, _operands_of_call(site)
    name = last_name(call.func)
    if not given or (name == "where" and (given != call.args or len(given) != 1 or call.keywords)):
        return None
    if name not in SIZED:
        return given[0]
    option, place = SIZED[name]
    if argument(call, option) is not None or (name == "one_hot" and len(given) > 1):
        return None
    return argument(call, "repeats") or given[min(place, len(given) - 1)]
