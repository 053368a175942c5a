"""Guards about the arguments of a call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainlint.analysis.syntax.names import has_unpacked_arguments
from trainlint.contract.guard import guard

if TYPE_CHECKING:
    from trainlint.analysis.site import Site


@guard
def given_unpacked(site: Site) -> bool:
    """`*args` or `**kwargs` may set it."""
    return has_unpacked_arguments(site.call)
