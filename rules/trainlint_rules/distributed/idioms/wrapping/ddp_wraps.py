"""Rules about `DistributedDataParallel(...)`: the call, and what around it keeps them silent."""

from __future__ import annotations

from trainlint.analysis.programs.wraps import Wrap, wrap
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import has_unpacked_arguments
from trainlint.analysis.syntax.uses import call_of
from trainlint.analysis.tables.parallel import Wrapper
from trainlint.contract.guard import guard


def ddp_wrap(site: Site) -> Wrap | None:
    """The wrap whose function a reference to `DistributedDataParallel` is; None for other references."""
    place = call_of(site.file, site.node)
    found = wrap(site.file, place) if place is not None else None
    return found if found is not None and found.wrapper is Wrapper.DDP else None


@guard
def options_from_elsewhere(site: Site) -> bool:
    """Options come from elsewhere, by `*` or `**`."""
    return has_unpacked_arguments(site.call)
