"""What the abstract run of a project says of the lines of one file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from trainlint.analysis.frequency.heat_fact import UNKNOWN_HEAT, HeatFact
from trainlint.contract.declared_rule import chain_of, runs_so_often
from trainlint.engine.index.executing import execute_group, groups_of
from trainlint.engine.index.project_files import Member
from trainlint.finding import Heat

if TYPE_CHECKING:
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


@dataclass(frozen=True, slots=True)
class ExecutedLines:
    """The operations of a file, and how its lines are executed."""

    path: str
    operations: Sequence[Operation]
    visits: Mapping[int, Visit]
    """By the first line of the statement. A statement that is missing is not executed."""

    def heat(self, line: int) -> HeatFact:
        """How often a statement is executed, and by which way."""
        visit = self.visits.get(line)
        if visit is None or (visit.heat == "cold" and visit.level == "orphan"):
            return UNKNOWN_HEAT
        return HeatFact(_HEATS[visit.heat], 1.0, chain_of(visit.way, self.path))

    def silence(self, line: int) -> str:
        """Why a rule about training steps reports nothing at a statement."""
        if line not in self.visits:
            return "this code is not executed: nothing in sight calls it, or the test before it never holds"
        heat = self.heat(line).heat
        if heat.in_step:
            return "nothing here waits or copies, as far as is known of these values"
        return runs_so_often(heat)


def executed_lines(linked: Sequence[Member], file: Member, shipped: ShippedFiles) -> ExecutedLines:
    """Execute a file with those that it was linked with, and tell what concerns it."""
    alone = [] if any(member.path == file.path for member in linked) else [file]
    for group in groups_of(linked, alone, Member.source, shipped):
        path = next((path for path, member in group.members.items() if member.path == file.path), "")
        if path:
            done, visits = execute_group(group, {}, path)
            return ExecutedLines(file.shown, done.operations.get(path, ()), visits)
    return ExecutedLines(file.shown, (), {})
