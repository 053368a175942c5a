"""Models that move to the device after an optimizer was built from their parameters."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trainlint.analysis.programs.optimizer_builds import optimizer_builds
from trainlint.analysis.syntax.names import dotted
from trainlint.analysis.tables.waits.device_copies import MOVES
from trainlint.contract.guard import guard
from trainlint_rules.optimizer.idioms.optimizers import always_runs_before

if TYPE_CHECKING:
    from trainlint.analysis.site import Site

_DEVICES = ("cuda", "dev", "rank", "gpu")
"""What the text of a device holds, and that of a data type does not."""


@guard
def loaded_afterwards(site: Site) -> bool:
    """Its state is loaded after the move, which puts it on the parameters' device."""
    return all(
        any(
            always_runs_before(move.place, load.place) and "opt" in ast.unparse(load.call.func).lower()
            for load in site.calls("load_state_dict")
        )
        for move in moves_afterwards(site)
    )


def moves_afterwards(site: Site) -> list[Site]:
    """The moves of an optimizer's models behind the call that builds it, in the same function."""
    build = optimizer_builds(site.file).get(site.call)
    moves = site.calls(*MOVES) if build is not None and build.models else ()
    return [
        move
        for move in moves
        if move.function is site.function
        and always_runs_before(site.place, move.place)
        and build is not None
        and _moves_one_of(move.call, build.models)
    ]


def _moves_one_of(call: ast.Call, models: frozenset[str]) -> bool:
    if not isinstance(call.func, ast.Attribute) or dotted(call.func.value) not in models:
        return False
    return call.func.attr == "cuda" or any(word in ast.unparse(item).lower() for item in call.args for word in _DEVICES)
