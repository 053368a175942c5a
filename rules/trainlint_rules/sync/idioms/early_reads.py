"""Reads of what a non-blocking copy brings to the host, and what makes them harmless."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.contract.guard import guard
from trainlint_rules.sync.idioms.host_copies import (
    FirstRead,
    QueuedCopy,
    first_read,
    leaves_wait_to_callers,
    may_wait_between,
    queued_copy,
)


def copy_and_read(site: Site) -> tuple[QueuedCopy, FirstRead] | None:
    """The copy that a call queues, and its first read; None where there is no such copy, or nobody reads it."""
    copy = queued_copy(site.file, site.call, site.place)
    read = first_read(site.file, copy, site.place) if copy is not None else None
    return (copy, read) if copy is not None and read is not None else None


@guard
def waits_in_between(site: Site) -> bool:
    """A call between the copy and the read may wait for the GPU."""
    found = copy_and_read(site)
    return found is not None and may_wait_between(site.file, *found, site.place)


@guard
def left_to_callers(site: Site) -> bool:
    """The function manages streams itself and returns an array, so its callers wait."""
    found = copy_and_read(site)
    return found is not None and leaves_wait_to_callers(site.file, found[1], site.place)
