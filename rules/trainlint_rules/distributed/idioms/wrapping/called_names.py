"""Rules about calls of what is imported from one place, by whatever name a file calls it."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.uses import call_of
from trainlint.contract.bases import ReferenceRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guard import Guard


class CalledNameRule(ReferenceRule, base=True):
    """About calls of the names in `on`, such as `DDP(...)` after `import DistributedDataParallel as DDP`.

    `found` and the guards see the call: `site.call`.
    """

    def answers(self, site: Site) -> Iterator[Match | Guard]:
        """About the call; nothing where the name is not called."""
        place = call_of(site.file, site.node)
        if place is not None:
            yield from super().answers(Site(site.file, place))
