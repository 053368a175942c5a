"""What the abstract run of a project says of the lines of some files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from trainlint.analysis.frequency.heat_fact import UNKNOWN_HEAT, HeatFact
from trainlint.contract.declared_rule import runs_so_often
from trainlint.contract.operation_rule import NEEDED, chain_of
from trainlint.engine.index.executing import execute_group, groups_of
from trainlint.engine.index.project_files import Member
from trainlint.finding import Heat

if TYPE_CHECKING:
    from pathlib import Path

    from trainlint.engine.index.shipped_files import ShippedFiles
    from trainlint.interpreter.machine.run import Heat as HeatOfRun
    from trainlint.interpreter.operations import Operation
    from trainlint.interpreter.visits import Visit

_HEATS: Final[Mapping[HeatOfRun, Heat]] = {
    "step": Heat.STEP,
    "evaluation": Heat.EVAL_STEP,
    "rare": Heat.RARE,
    "worker": Heat.WORKER,
    "off": Heat.RARE,
    "cold": Heat.ONCE,
}


NOT_EXECUTED = "not executed: nothing in sight calls it, or the test before it never holds"


@dataclass(frozen=True, slots=True)
class ExecutedLines:
    """The operations of a file, and how its lines are executed."""

    path: str
    operations: Sequence[Operation] = ()
    visits: Mapping[int, Visit] = field(default_factory=dict)
    """By the first line of the statement. A statement that is missing is not executed."""
    untold: Mapping[Operation, HeatOfRun] = field(default_factory=dict)
    """Operations that no rule is asked about, and how often they are executed."""

    def heat(self, line: int) -> HeatFact:
        """How often a statement is executed, and by which way."""
        visit = self.visits.get(line)
        if visit is None:
            return HeatFact(Heat.UNKNOWN, 1.0, (NOT_EXECUTED,))
        if visit.heat == "cold" and visit.level == "orphan":
            return UNKNOWN_HEAT
        return HeatFact(_HEATS[visit.heat], 1.0, chain_of(visit.way, self.path))

    def silence(self, operation: Operation) -> str:
        """Why no rule is asked about one of the untold operations."""
        heat = self.untold[operation]
        return NEEDED if heat == "step" else runs_so_often(_HEATS[heat])


def executed_lines(
    linked: Sequence[Member], files: Sequence[Member], shipped: ShippedFiles
) -> dict[Path, ExecutedLines]:
    """Execute each of some files with those that it was linked with, and tell what concerns it."""
    asked = {file.path: file for file in files}
    known = {member.path for member in linked}
    alone = [file for file in files if file.path not in known]
    found = {path: ExecutedLines(file.shown) for path, file in asked.items()}
    for group in groups_of(linked, alone, Member.source, shipped):
        of_group = {path: asked[member.path] for path, member in group.members.items() if member.path in asked}
        if of_group:
            done = execute_group(group, {}, of_group.keys())[1]
            for path, file in of_group.items():
                visits, untold = done.visits.get(path, {}), done.untold.get(path, {})
                found[file.path] = ExecutedLines(file.shown, done.operations.get(path, ()), visits, untold)
    return found
