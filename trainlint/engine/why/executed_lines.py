"""What the abstract run of a project says of the lines of some files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trainlint.contract.declared_rule import runs_so_often
from trainlint.contract.operation_rule import ELSEWHERE, NEEDED
from trainlint.engine.index.executing import execute_group, groups_of
from trainlint.engine.index.project_files import Member
from trainlint.finding import NOTHING_EXECUTED, Frequencies

if TYPE_CHECKING:
    from pathlib import Path

    from trainlint.engine.index.shipped_files import ShippedFiles
    from trainlint.interpreter.machine.frame import Heat as HeatOfRun
    from trainlint.interpreter.operations import Operation
    from trainlint.interpreter.visits import Doubt

DOUBTFUL = "trainlint does not know whether it reads a tensor"
ONLY_ELSEWHERE = f"in training steps {ELSEWHERE}"
"""Of an operation that the run meets only where the same line is executed less often than in each step."""


@dataclass(frozen=True, slots=True)
class ExecutedLines:
    """The operations of a file, and how its lines are executed."""

    path: str
    operations: Sequence[Operation] = ()
    frequencies: Frequencies = NOTHING_EXECUTED
    """How often its statements are executed."""
    untold: Mapping[Operation, HeatOfRun | Doubt] = field(default_factory=dict)
    """Operations that no rule is asked about, and how often they are executed."""

    def silence(self, operation: Operation) -> str:
        """Why no rule is asked about one of the untold operations."""
        from trainlint.interpreter.frequencies import HEATS

        heat = self.untold[operation]
        if heat == "step":
            return NEEDED
        if heat == "doubtful":
            return DOUBTFUL
        line = self.frequencies.at(operation.position[0])
        if line is None:
            return runs_so_often(HEATS[heat])
        return ONLY_ELSEWHERE if line.heat.in_step else runs_so_often(line.heat)


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
            of_files, done = execute_group(group, {}, of_group.keys())
            for path, file in of_group.items():
                operations, untold = done.operations.get(path, ()), done.untold.get(path, {})
                frequencies = of_files.frequencies.get(path, NOTHING_EXECUTED)
                found[file.path] = ExecutedLines(file.shown, operations, frequencies, untold)
    return found
