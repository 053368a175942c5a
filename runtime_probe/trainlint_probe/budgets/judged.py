"""What was counted, held against the limits: plain data in, plain data out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from trainlint.evidence.places import Line
from trainlint.evidence.run import Counted
from trainlint_probe.budgets.account import DATA_WAIT, GRAPH_BREAKS, OF_A_GPU

OF_ALL_STEPS = frozenset({GRAPH_BREAKS, DATA_WAIT})
"""What is not divided by the steps: a graph break slows each of them, and a share is of all their time."""

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

    @property
    def is_judged(self) -> bool:
        """Whether all limits that need a GPU could be held against one."""
        return not any(use.not_counted and use.limit in OF_A_GPU for use in self.uses)


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
