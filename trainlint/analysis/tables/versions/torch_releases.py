"""When versions of PyTorch came out, and what that means for a fix in a project that names none."""

from __future__ import annotations

from dataclasses import replace

from trainlint.finding import Safety

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.config.torch_range import TorchRange
    from trainlint.finding import Fix

Version = tuple[int, int]
Shown = tuple[Version | None, Version | None]
"""The oldest PyTorch that code may run on, and the first that it no longer runs on."""

RELEASES: dict[Version, str] = {
    (2, 0): "2023-03-15",
    (2, 1): "2023-10-04",
    (2, 2): "2024-01-30",
    (2, 3): "2024-04-24",
    (2, 4): "2024-07-24",
    (2, 5): "2024-10-17",
    (2, 6): "2025-01-29",
    (2, 7): "2025-04-23",
    (2, 8): "2025-08-06",
    (2, 9): "2025-10-15",
    (2, 10): "2026-01-21",
    (2, 11): "2026-03-23",
    (2, 12): "2026-05-13",
    (2, 13): "2026-07-08",
    (2, 14): "2026-09-02",
    (2, 15): "2026-10-28",
}
"""The day on which the first files of each minor version were uploaded to PyPI."""
_EVERYWHERE: Version = (1, 9)
"""Older versions than this are so rare that no help speaks of them."""
OLD_ENOUGH: Version = (2, 5)
"""The newest version that was two years old when this version of trainlint was made, in November 2026.

It is set with each release of trainlint, and is no question of the day of a run: equal files get equal answers.
"""


IN_ALL: Version = (2, 4)
"""The newest version that is taken for granted where nobody names one, and the code shows none that is older: it was
out more than two years before this version of trainlint was made. Set with each release, too."""


def fix_for_target(fix: Fix, needs: Version, target: TorchRange | None, shown: Shown = (None, None)) -> Fix | None:
    """A fix as the targeted versions of PyTorch allow it, by the first version in which it works.

    None where a targeted one is older, and where nothing says how old the oldest is and the version is less than two
    years old: the program may run on one that lacks what the fix writes. Where nothing says it and the version is
    newer than `IN_ALL`, the fix is UNSAFE. What the code shows of its versions counts where nobody names the oldest.
    """
    if target is not None and target.lacks(needs):
        return None
    lower, upper = shown if target is None or target.minimum is None else (target.minimum, None)
    if lower is None and upper is not None and upper <= needs:
        return None
    if needs <= IN_ALL or (lower is not None and needs <= lower):
        return fix
    return replace(fix, safety=Safety.UNSAFE) if needs <= OLD_ENOUGH else None


def help_for_target(help: str, needs: Version, target: TorchRange | None) -> str:
    """A finding's help with the first PyTorch that has what it advises, unless the project surely runs one that has."""
    if needs <= _EVERYWHERE or (target is not None and target.has(needs)):
        return help
    return f"{help} (needs PyTorch {needs[0]}.{needs[1]})"
