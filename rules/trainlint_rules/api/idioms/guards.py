"""Guards about calls and versions."""

from __future__ import annotations

from trainlint.analysis.programs.old_names.deprecated_uses import is_warned
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument
from trainlint.contract.guard import Guard, guard
from trainlint.finding import Confidence


@guard
def pickled_otherwise(site: Site) -> bool:
    """A `pickle_module` is given."""
    return argument(site.call, "pickle_module", 2) is not None


def supports_none_before(version: tuple[int, int]) -> Guard:
    """A guard: the project is known to support no PyTorch before a version."""

    def holds(site: Site) -> bool:
        return site.has(version)

    return Guard(f"the project supports no PyTorch before {version[0]}.{version[1]}", holds, before_found=True)


def sure_if_warned(
    site: Site, since: tuple[int, int], removed: tuple[int, int] | None = None, *, most: Confidence = Confidence.CERTAIN
) -> Confidence:
    """How sure a finding of an old way is: below the default where the project's PyTorch is not known to warn of it.

    `since` is the first PyTorch that warns, `removed` the first that refuses it.
    """
    return most if is_warned(site.file, since, removed) else Confidence.POSSIBLE
