"""What readers said in all rounds together: by level of confidence, and by rule, which decides what is on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.accuracy.rounds.record import ReadRow, Round, added
from benchmarks.accuracy.score import Share
from benchmarks.accuracy.tables import estimate, row, share
from trainlint.finding import Confidence

if TYPE_CHECKING:
    from trainlint.rule import Rule

LEVELS, RULES = "rounds-levels", "rounds-rules"
"""The names of the generated parts of docs/accuracy.md."""
ENOUGH, ENOUGH_REPOSITORIES, RIGHT_ENOUGH = 10, 4, 0.9
"""A rule is measured when so many findings from so many repositories were read; so large a share is to be right."""


@dataclass(frozen=True, slots=True)
class RuleReadings:
    """What the readers of all rounds said of one rule's default findings."""

    right: int
    doubtful: int
    wrong: int
    repositories: int

    @property
    def read(self) -> int:
        """Findings that were read."""
        return self.right + self.doubtful + self.wrong

    @property
    def measured(self) -> bool:
        """Whether enough was read for a judgement."""
        return self.read >= ENOUGH and self.repositories >= ENOUGH_REPOSITORIES

    @property
    def says(self) -> str:
        """What the readings say of the rule."""
        if not self.measured:
            return "not measured"
        return "measured" if self.right >= RIGHT_ENOUGH * self.read else "below nine in ten"


def judging_rules() -> list[type[Rule]]:
    """The rules that judge code, in the order of their codes."""
    from trainlint.packs import load_rules
    from trainlint.rule import EngineRule

    return [rule for rule in load_rules() if rule.code.startswith("TRN") and not issubclass(rule, EngineRule)]


def rows_of(rounds: Iterable[Round]) -> tuple[ReadRow, ...]:
    """All readings of these rounds."""
    return tuple(item for each in rounds if each.read is not None for item in each.read.rows)


def rows_below(rounds: Iterable[Round]) -> tuple[ReadRow, ...]:
    """All readings of findings below the default level."""
    return tuple(item for each in rounds if each.read is not None for item in each.read.below)


def readings_of(code: str, rows: Sequence[ReadRow]) -> RuleReadings:
    """The readings of one rule."""
    own = [each for each in rows if each.code == code]
    return RuleReadings(*added(own), repositories=len({each.repo for each in own}))


def levels_table(rounds: Sequence[Round]) -> str:
    """What each level of confidence was worth, in all rounds and in the last two."""
    every, last = (rows_of(some) + rows_below(some) for some in (rounds, rounds[-2:]))
    names = [level.label for level in sorted(Confidence, reverse=True)]
    lines = [row("level", "all rounds: right", "wrong", "last two rounds: right", "wrong"), row(*["---"] * 5)]
    for name in names:
        cells = [cell for rows in (every, last) for cell in _level([each for each in rows if each.level == name])]
        lines.append(row(name, *cells))
    shown = [cell for some in (rounds, rounds[-2:]) for cell in _level(rows_of(some))]
    lines.append(row("all that are shown by default", *shown))
    return "\n".join(lines)


def rules_table(rounds: Sequence[Round], rules: Iterable[type[Rule]]) -> str:
    """What was read of each rule, and whether it is on. Left out: rules in preview of which nothing was read."""
    rows = rows_of(rounds)
    header = ("rule", "name", "read", "repositories", "right", "doubtful", "wrong", "by reading", "default")
    lines = [row(*header), row(*["---"] * len(header))]
    for rule in rules:
        found = readings_of(rule.code, rows)
        if rule.preview and not found.read:
            continue
        counts = (found.read, found.repositories, found.right, found.doubtful, found.wrong)
        lines.append(row(rule.code, rule.name, *map(str, counts), found.says, "preview" if rule.preview else "on"))
    return "\n".join(lines)


def _level(rows: Sequence[ReadRow]) -> tuple[str, str]:
    right, doubtful, wrong = added(rows)
    whole = right + doubtful + wrong
    return estimate(Share(right, whole)), share(Share(wrong, whole))
