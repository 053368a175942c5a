"""TRN519."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from trainlint.analysis.conditions.alternatives import has_alternative
from trainlint.analysis.programs.deprecated_uses import deprecated_use
from trainlint.analysis.site import Site
from trainlint.analysis.tables.collectives import FUNCTIONS
from trainlint.analysis.tables.deprecations import prefixes
from trainlint.finding import Finding
from trainlint.rule import Triggers
from trainlint.symptoms import Symptom
from trainlint_rules.api import DeprecatedName

_RENAMED_IN = (2, 13)
_NEWEST = {
    f"torch.distributed.{row.name}": f"torch.distributed.{row.newest}" for row in FUNCTIONS.values() if row.newest
}
"""Public name → the one that PyTorch 2.13 gave it."""


class PrivateCollective(DeprecatedName):
    """A collective by its private name, `_all_gather_base` or `_reduce_scatter_base`

    ## Why
    Both have had public names since PyTorch 1.13, `all_gather_into_tensor` and `reduce_scatter_tensor`, which take the
    same arguments and do the same. The private ones raise a FutureWarning, which each process shows, and will go
    without further notice.

    ## Example
    ```python
    import torch.distributed as dist


    def gather_weights(flat, shard, group):
        dist._all_gather_base(flat, shard, group=group)
        return flat
    ```

    ## Use instead
    ```python
    import torch.distributed as dist


    def gather_weights(flat, shard, group):
        dist.all_gather_into_tensor(flat, shard, group=group)
        return flat
    ```

    From PyTorch 2.13 on they are called `all_gather_single` and `reduce_scatter_single`: the fix writes these where the
    project's oldest PyTorch has them.

    ## Stays silent
    In code that chooses by version, or has the public name in its other branch; where the project's oldest PyTorch is
    older than 1.13; for functions of that name elsewhere.

    ## Confirmed by
    `trainlint probe` notes PyTorch's FutureWarning at this line.

    ## Gain
    None in speed but for the warnings: a program that outlives the private names.

    ## References
    - `torch.distributed.all_gather_into_tensor`:
      https://docs.pytorch.org/docs/stable/distributed.html#torch.distributed.all_gather_into_tensor
    """

    code = "TRN519"
    name = "private-collective"
    confirmed_by = frozenset({Symptom.WARNING})
    warned_as = "is a private function"
    triggers = Triggers(references=prefixes("TRN519"))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find uses of the private names where no public one stands beside them."""
        use = deprecated_use(site.file, site.place, self.code)
        if use is None:
            return
        newest = _NEWEST[use.deprecation.replacement]
        if use.reference is not None and has_alternative(
            site.file, use.reference, site.block, (newest, use.deprecation.replacement)
        ):
            return
        target = site.file.config.target_torch
        if target is not None and target.has(_RENAMED_IN):
            use = replace(use, deprecation=use.deprecation._replace(replacement=newest, replaced_in=_RENAMED_IN))
        yield self.finding(
            site,
            use.message,
            at=use.at,
            confidence=use.standing.confidence,
            severity=use.standing.severity,
            fix=partial(self.fix, site, use),
            fix_needs=self.fix_needs(use),
        )
