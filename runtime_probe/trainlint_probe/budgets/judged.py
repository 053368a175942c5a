"""What was counted, held against the limits: plain data in, plain data out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from trainlint.config.kinds import LIMITS
from trainlint.evidence import Counted, Line
from trainlint.symptoms import Symptom
from trainlint_probe.budgets.account import ALLOCATIONS, DATA_WAIT, GRAPH_BREAKS, PAGEABLE, RECOMPILES, SYNCS

OF_ALL_STEPS = frozenset({GRAPH_BREAKS, DATA_WAIT})
"""What is not divided by the steps: a graph break slows each of them, and a share is of all their time."""

_SHOWN_BY = {
    SYNCS: (Symptom.HOST_SYNC, "TRNP201"),
    PAGEABLE: (Symptom.HOST_TO_DEVICE, "TRNP202"),
    GRAPH_BREAKS: (Symptom.GRAPH_BREAK, "TRNP403"),
    RECOMPILES: (Symptom.RECOMPILE, "TRNP404"),
    ALLOCATIONS: (Symptom.ALLOCATION, "TRNP305"),
    DATA_WAIT: (Symptom.DATA_WAIT, "TRNP101"),
}
"""What findings of the same defect are confirmed by, and the code of what the probe says of it."""


_ROUNDING = 1e-9
"""A third of three may come out as slightly more than one."""


@dataclass(frozen=True, slots=True)
class Use:
    """What was used of one limit."""

    limit: str
    most: float
    """The limit itself."""
    used: float
    """What counts against it, each step."""
    lines: tuple[Counted, ...]
    """What was counted, as numbers of one step. It includes what is allowed."""
    ignored: tuple[Counted, ...] = ()
    """What comments in the code silence, likewise. It is not among `lines`."""
    not_counted: str = ""
    """Why nothing could be counted, in words that follow a name; empty where it could."""

    @property
    def is_over(self) -> bool:
        """Whether more was used than the limit allows."""
        return self.used > self.most + _ROUNDING


@dataclass(frozen=True, slots=True)
class Spending:
    """What a block or a run was counted to do, held against its limits."""

    steps: int
    uses: tuple[Use, ...]
    notes: tuple[str, ...] = ()
    """What the reader must know of the counts, in sentences."""
    rank: int = 0

    @property
    def over(self) -> tuple[Use, ...]:
        """The limits that are exceeded."""
        return tuple(use for use in self.uses if use.is_over)


def judge(
    counted: Sequence[Counted],
    limits: Mapping[str, float],
    steps: int,
    *,
    not_counted: Mapping[str, str],
    is_ignored: Callable[[Line, str], bool],
    notes: tuple[str, ...] = (),
    rank: int = 0,
) -> Spending:
    """Hold what was counted in some steps against limits.

    Args:
        counted: of all the steps together.
        limits: by their names.
        steps: how many there were; 1 or more.
        not_counted: limits that could not be counted → why.
        is_ignored: whether a comment at a line silences what is counted for a limit.
        notes: for the reader.
        rank: whose steps they were.
    """
    uses = []
    for name, most in limits.items():
        if name in not_counted:
            uses.append(Use(name, most, 0.0, (), not_counted=not_counted[name]))
            continue
        of_one_step = [_shared(item, steps) for item in counted if item.limit == name]
        charged = sum(item.count for item in of_one_step if not item.allowed)
        ignored: tuple[Counted, ...] = ()
        if charged > most + _ROUNDING:  # files are read for this alone
            ignored = tuple(item for item in of_one_step if item.at is not None and is_ignored(item.at, name))
        lines = tuple(item for item in of_one_step if item not in ignored)
        uses.append(Use(name, most, sum(item.count for item in lines if not item.allowed), lines, ignored))
    return Spending(steps, tuple(uses), notes, rank)


def _shared(item: Counted, steps: int) -> Counted:
    """What was counted of one line, as a number of one step."""
    if item.limit in OF_ALL_STEPS or steps == 1:
        return item
    return Counted(item.limit, item.at, item.what, item.count / steps, item.via, item.allowed)


def is_ignored(at: Line, limit: str) -> bool:
    """Whether a comment at a line of a file, or for the whole file, silences a rule about what the limit counts."""
    from trainlint.catalogue import installed_rules
    from trainlint_probe.judgement.silenced import is_ignored as is_silenced

    symptom, own = _SHOWN_BY[limit]
    codes = [rule.code for rule in installed_rules() if symptom.value in rule.confirmed_by]
    return is_silenced(at, [own, *codes])


assert set(_SHOWN_BY) == set(LIMITS), "each limit of the configuration is counted"
