"""Collectives on a loss or a metric whose result is only shown."""

from __future__ import annotations

import ast
import re

from trainlint.analysis.effects.collectives import Collective, collective
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.names import end_position, last_name, names_in, nodes_in, root_name
from trainlint.analysis.tables.collectives import BRINGING_TOGETHER, IN_PLACE
from trainlint.analysis.tables.host_reads import TO_PYTHON
from trainlint.patterns import lazy
from trainlint_rules.sync.idioms.logged_values import is_log, only_logged

_OWNER = lazy(r"accelerat|fabric", re.IGNORECASE)
_SHOWN = lazy(r"loss|metric|(^|_)acc(uracy)?($|_)|psnr|(^|_)err(or)?($|_)", re.IGNORECASE)


def is_logging_collective(file: SemanticModel, call: ast.Call, place: Place) -> bool:
    """Whether a call brings together what all ranks have of a value, and the result goes to logs and meters alone."""
    function = file.graph.enclosing(place.block)
    if function is None or last_name(call.func) not in BRINGING_TOGETHER:
        return False
    found = collective(file, call, place.block)
    if found is not None:
        given, kept = found.tensor, _filled(found, call)
    elif not _is_of_accelerator(call):
        return False
    elif _becomes_shown_number(call, place.statement):
        return True
    else:
        given, kept = call.args[0], _target(place.statement)
    if given is None or not kept or not any(_SHOWN.search(name) for name in names_in(given)):
        return False
    if file.backwards(place.block).goes_through(kept):
        return False
    return only_logged(function, kept, end_position(place.statement))


def _filled(found: Collective, call: ast.Call) -> str:
    """The name of what a collective writes its result into; empty where it has none."""
    into = found.tensor if found.name in IN_PLACE else call.args[0] if call.args else None
    return root_name(into) if into is not None else ""


def _is_of_accelerator(call: ast.Call) -> bool:
    """Whether a call is a method of Accelerate's or Fabric's object that is given something."""
    owned = isinstance(call.func, ast.Attribute) and _OWNER.search(last_name(call.func.value)) is not None
    return owned and bool(call.args)


def _becomes_shown_number(call: ast.Call, statement: ast.stmt) -> bool:
    """`meter.append(gather(x).mean().item())`: a number is made of the result and shown in one go."""
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return False
    numbers = (
        part
        for part in nodes_in(statement)
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr in TO_PYTHON
    )
    inside = any(inner is call for number in numbers for inner in nodes_in(number.func))
    return inside and is_log(last_name(statement.value.func))


def _target(statement: ast.stmt) -> str:
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if isinstance(statement, ast.AugAssign):
        target = statement.target
    return target.id if isinstance(target, ast.Name) else ""
