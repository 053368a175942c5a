"""Guards about a whole file. Those that cost little are asked before `found`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainlint.contract.guard import Guard

if TYPE_CHECKING:
    from trainlint.analysis.site import Site


def supports_older_than(version: tuple[int, int]) -> Guard:
    """A guard: the project supports a PyTorch before a version."""

    def holds(site: Site) -> bool:
        return site.lacks(version)

    return Guard(f"the project supports PyTorch before {version[0]}.{version[1]}", holds, before_found=True)
