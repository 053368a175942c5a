"""Budgets on a simulated GPU: its log tells each wait and each copy, so that no call is replaced for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from trainlint_probe.budgets.account import (
    ALLOCATIONS,
    DATA_WAIT,
    GRAPH_BREAKS,
    PAGEABLE,
    RECOMPILES,
    SYNCS,
    charge,
    open_accounts,
)
from trainlint_probe.budgets.words import NOT_SIMULATED
from trainlint_probe.watch.lines import Lines, frame_at

if TYPE_CHECKING:
    from trainlint_probe.simulated.events import Cause, What
    from trainlint_probe.simulated.simulation import Simulation

NOT_COUNTED = dict.fromkeys((GRAPH_BREAKS, RECOMPILES, ALLOCATIONS, DATA_WAIT), NOT_SIMULATED)
"""Limits that a simulated GPU says nothing of: it runs nothing compiled, and its times and its allocator are not a
GPU's. A run of the probe counts graph breaks all the same."""
_CHARGING: list[tuple[Simulation, Callable[[What, int, Cause], None]]] = []
"""The simulation that is on, and what listens to its log."""


def begin(simulation: Simulation, lines: Lines) -> None:
    """What is logged from now on counts for the budgets that are open, at the user's lines."""

    def happened(what: What, size: int, cause: Cause) -> None:
        limits = [limit for limit, counts in ((SYNCS, what.blocking), (PAGEABLE, what.pageable)) if counts]
        if limits and open_accounts():
            charge(limits, what.name, lines.caller(frame_at(1)))

    simulation.log.listeners.append(happened)
    _CHARGING.append((simulation, happened))


def end() -> None:
    """The simulation ends."""
    simulation, happened = _CHARGING.pop()
    simulation.log.listeners.remove(happened)


def is_used() -> bool:
    """Whether anything was put on the simulated GPU that is on, since it is there."""
    return any(memory.allocations for simulation, _ in _CHARGING for memory in simulation.places.memory)


def is_on() -> bool:
    """Whether a simulated GPU charges the budgets of this process."""
    return bool(_CHARGING)
