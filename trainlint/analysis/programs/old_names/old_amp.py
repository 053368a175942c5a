"""The old names of mixed precision, `torch.cuda.amp` and `torch.cpu.amp`, and which uses of them warn."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trainlint.analysis.conditions.alternatives import has_alternative, origins
from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.roles import Role, role
from trainlint.analysis.tables.precision import AUTOCAST, GRAD_SCALER
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

OLD_MODULES = frozenset({"torch.cuda.amp", "torch.cpu.amp"})
_SINCE = {AUTOCAST.name: (1, 12), GRAD_SCALER.name: (2, 3), "custom_fwd": (2, 4), "custom_bwd": (2, 4)}
"""The first version in which torch.amp has each of them; `torch.autocast` itself is older (1.10)."""
WARNS_SINCE = (2, 4)
"""The first version that warns of the old names."""
_OLD = lazy(r"torch\.(cuda|cpu)\.amp(?:\.autocast_mode|\.grad_scaler)?\.(" + "|".join(_SINCE) + ")")


MAY_BE_COMPARED = (Role.TYPE_TEST, Role.VALUE)
"""What a file does with a class that it may compare the class of an object with: `type(s) is GradScaler`, too."""


def old_name(origin: str | None) -> tuple[str, str] | None:
    """The device and the last word of a name below torch.cuda.amp or torch.cpu.amp; None for any other name."""
    match = _OLD.fullmatch(origin or "")
    return (match[1], match[2]) if match else None


def new_names(symbol: str) -> frozenset[str]:
    """The dotted names that replace an old one."""
    names = {f"torch.amp.{symbol}", f"torch.amp.autocast_mode.{symbol}", f"torch.amp.grad_scaler.{symbol}"}
    return frozenset(names | ({f"torch.{symbol}"} if symbol == AUTOCAST.name else set()))


def available(file: SemanticModel) -> frozenset[str]:
    """The last words that torch.amp has in every version that the project targets."""
    target = file.config.target_torch
    return frozenset(symbol for symbol, since in _SINCE.items() if target is None or not target.lacks(since))


def newest_needed(file: SemanticModel) -> tuple[int, int]:
    """The first version in which torch.amp has all that a rewrite of this file may name."""
    named = [_SINCE[symbol] for symbol in available(file) if symbol in file.source.text]
    return max(named, default=_SINCE[AUTOCAST.name])


def warning_use(file: SemanticModel, place: Place) -> tuple[str, str] | None:
    """The device and last word of an old name that warns when it runs at this place; None for any other reference.

    None, too, in code that chooses between old and new names, and where the project's oldest version has no new one or
    its newest one does not warn yet.
    """
    target = file.config.target_torch
    if not isinstance(place.node, ast.expr) or (target is not None and not target.reaches(WARNS_SINCE)):
        return None
    meanings = origins(place.node, place.block)
    found = next(filter(None, map(old_name, sorted(filter(None, meanings)))), None)
    if found is None or found[1] not in available(file):
        return None
    if role(file, place) in (Role.TYPE_TEST, Role.ANNOTATION):
        return None
    new = new_names(found[1])
    if meanings & new or has_alternative(file, place.node, place.block, new):
        return None
    return found


def tests_for_old_scaler(file: SemanticModel) -> bool:
    """Whether a file tests if an object is of the old scaler's class, which a scaler of `torch.amp` does not pass."""
    if GRAD_SCALER.name not in file.source.text:
        return False
    for place in file.outline.references:
        if isinstance(place.node, ast.expr) and role(file, place) in MAY_BE_COMPARED:
            found = filter(None, map(old_name, origins(place.node, place.block)))
            if any(symbol == GRAD_SCALER.name for _, symbol in found):
                return True
    return False
