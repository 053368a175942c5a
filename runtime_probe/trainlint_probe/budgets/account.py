"""What is counted while a budget is open, and for whom.

Context variables say which budgets are open: each thread and each asyncio task has its own, and a task inherits those
of the code that starts it. A budget is therefore charged for what its own block does, and for nothing beside it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from typing import NamedTuple

from trainlint.evidence.places import Line
from trainlint.evidence.run import Counted, Seen
from trainlint.symptoms import Symptom
from trainlint_probe.watch.lines import Caller, display_path

SYNCS, PAGEABLE, DATA_WAIT = "syncs", "pageable-copies", "data-wait-percent"
GRAPH_BREAKS, RECOMPILES, ALLOCATIONS = "graph-breaks", "recompiles", "allocations"
"""The limits of the configuration table (`trainlint.config.kinds.LIMITS`)."""
OF_A_GPU = frozenset({SYNCS, PAGEABLE})
"""Those that say nothing where nothing lies on a GPU."""


class Charge(NamedTuple):
    """One sort of call at one line, on one account."""

    limit: str
    path: str
    """Empty where no line of the user's is known."""
    line: int
    what: str
    via: str
    allowed: str


class Account:
    """The counters of one budget. Contexts that were copied inside of it share them."""

    def __init__(self) -> None:
        self._counts: dict[Charge, int] = {}
        self._lock = threading.Lock()

    def charge(self, charge: Charge, amount: int = 1) -> None:
        """Count a call."""
        with self._lock:
            self._counts[charge] = self._counts.get(charge, 0) + amount

    def read(self) -> Mapping[Charge, int]:
        """All counts so far."""
        with self._lock:
            return dict(self._counts)


class Region(NamedTuple):
    """A part of the code in which calls are allowed."""

    reason: str
    accounts: tuple[Account, ...]
    """The budgets that were open around it: one that is opened inside is not affected."""
    owner: object
    """What ends it."""


OPEN: ContextVar[tuple[Account, ...]] = ContextVar("trainlint_open_budgets", default=())
"""The budgets of the present thread or task."""
ALLOWED: ContextVar[tuple[Region, ...]] = ContextVar("trainlint_allowed_regions", default=())
"""The regions that it is in, the innermost last."""
EVERYWHERE: list[Account] = []
"""Those that count whatever the process does: the probe's own, which may be of another thread than the training."""


def open_accounts() -> tuple[Account, ...]:
    """The budgets that the running code is charged to."""
    return (*OPEN.get(), *EVERYWHERE)


def reason_for(account: Account) -> str:
    """Why the running code may do what it does; empty where no region allows it."""
    for region in reversed(ALLOWED.get()):
        if account in region.accounts or account in EVERYWHERE:
            return region.reason
    return ""


def charge(limits: Iterable[str], what: str, caller: Caller | None, amount: int = 1) -> None:
    """Charge a call to the budgets that are open; of waits for batches, the nanoseconds."""
    path, line, via = caller or ("", 0, "")
    for account in open_accounts():
        for limit in limits:
            account.charge(Charge(limit, path, line, what, via, reason_for(account)), amount)


def counted(
    first: Mapping[Charge, int], last: Mapping[Charge, int], directory: str, elapsed_ns: int
) -> tuple[Counted, ...]:
    """What was counted between two readings that lie so far apart, the largest counts first."""
    grown = {charge: count - first.get(charge, 0) for charge, count in last.items()}
    return tuple(
        Counted(
            charge.limit,
            Line(display_path(charge.path, directory), charge.line) if charge.path else None,
            charge.what,
            100 * count / max(elapsed_ns, 1) if charge.limit == DATA_WAIT else count,
            charge.via,
            charge.allowed,
        )
        for charge, count in sorted(grown.items(), key=lambda item: (-item[1], item[0]))
        if count
    )


def of_compiling(seen: Iterable[Seen], before: Iterable[Seen] = ()) -> Iterator[Counted]:
    """Graph breaks that there were not `before`, as each slows every step, and the recompiles that steps waited for."""
    known = {(item.at, item.details["reason"]): item.calls for item in before if item.symptom is Symptom.GRAPH_BREAK}
    for item in seen:
        reason = item.details.get("reason", "")
        if item.symptom is Symptom.GRAPH_BREAK and item.calls > known.get((item.at, reason), 0):
            yield Counted(GRAPH_BREAKS, item.at, reason, 1)
        elif item.symptom is Symptom.RECOMPILE and (late := int(item.details["in the window"])):
            yield Counted(RECOMPILES, item.at, reason, late)


def asked_of_driver(first: int, last: int) -> tuple[Counted, ...]:
    """How often the driver was asked for memory between two counts."""
    return (Counted(ALLOCATIONS, None, "memory asked of the driver", last - first),) if last > first else ()
