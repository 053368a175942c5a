"""Guards about calls and versions."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument
from trainlint.contract.guard import Guard, guard


@guard
def pickled_otherwise(site: Site) -> bool:
    """A `pickle_module` is given."""
    return argument(site.call, "pickle_module", 2) is not None


def supports_none_before(version: tuple[int, int]) -> Guard:
    """A guard: the project is known to support no PyTorch before a version."""

    def holds(site: Site) -> bool:
        target = site.file.config.target_torch
        return target is not None and target.has(version)

    return Guard(f"the project supports no PyTorch before {version[0]}.{version[1]}", holds, before_found=True)
