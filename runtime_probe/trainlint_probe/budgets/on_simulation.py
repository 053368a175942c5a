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
    Charge,
    open_accounts,
    reason_for,
)
from trainlint_probe.budgets.words import NOT_SIMULATED
from trainlint_probe.watch.lines import Lines, frame_at

if TYPE_CHECKING:
    from trainlint_probe.simulated.events import Cause, Log, What

NOT_COUNTED = dict.fromkeys((GRAPH_BREAKS, RECOMPILES, ALLOCATIONS, DATA_WAIT), NOT_SIMULATED)
"""Limits that a simulated GPU says nothing of: it compiles nothing, and its times and its allocator are not a GPU's."""
_CHARGING: list[tuple[Log, Callable[[What, int, Cause], None]]] = []
"""The log of the simulation that is on, and what listens to it."""


def begin(log: Log, lines: Lines) -> None:
    """What is logged from now on counts for the budgets that are open, at the user's lines."""

    def charge(what: What, size: int, cause: Cause) -> None:
        accounts = open_accounts()
        limits = [limit for limit, counts in ((SYNCS, what.blocking), (PAGEABLE, what.pageable)) if counts]
        if not accounts or not limits:
            return
        path, line, via = lines.caller(frame_at(1)) or ("", 0, "")
        for account in accounts:
            for limit in limits:
                account.charge(Charge(limit, path, line, what.name, via, reason_for(account)))

    log.listeners.append(charge)
    _CHARGING.append((log, charge))


def end() -> None:
    """The simulation ends."""
    log, charge = _CHARGING.pop()
    log.listeners.remove(charge)


def is_on() -> bool:
    """Whether a simulated GPU charges the budgets of this process."""
    return bool(_CHARGING)
