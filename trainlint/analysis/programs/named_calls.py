"""The call that a name belongs to, for rules about names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainlint.analysis.syntax.uses import call_of

if TYPE_CHECKING:
    from trainlint.analysis.site import Site


def called(site: Site) -> Site | None:
    """The call whose function a place is, as `f` in `f(x)`; None where it is not called there."""
    place = call_of(site.file, site.node)
    return site.at(place.node, place.block) if place is not None else None
