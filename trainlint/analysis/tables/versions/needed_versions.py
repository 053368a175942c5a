"""What a fix is worth that writes what only newer versions of PyTorch have."""

from __future__ import annotations

from dataclasses import replace

from trainlint.finding import Safety

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.config.torch_range import TorchRange
    from trainlint.finding import Fix

Version = tuple[int, int]

FLOOR: Version = (1, 0)
"""What this version has needs no statement of the project. Programs for PyTorch 0.4 and older, before December 2018,
run on no Python that is newer than 3.7. Where a project states one of these, nothing is known of what it has."""


def for_target(fix: Fix | None, help: str, needs: Version, target: TorchRange | None) -> tuple[Fix | None, str]:
    """A fix and a help as the stated versions of PyTorch allow them, by the first version that has what they name.

    They stay as they are where each stated version has it. Otherwise, or where none is stated, the fix is UNSAFE and
    its title names the version that it needs; where no stated version has it, there is no fix. Without a fix the help
    names the version.
    """
    needs = max(needs, FLOOR)
    if target.has(needs) if target is not None and target.minimum is not None else needs == FLOOR:
        return fix, help
    words = f"(needs torch {needs[0]}.{needs[1]})"
    if fix is None or (target is not None and not target.reaches(needs)):
        return None, f"{help} {words}"
    return replace(fix, title=f"{fix.title} {words}", safety=Safety.UNSAFE), help
