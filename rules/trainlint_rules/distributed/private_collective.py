"""TRN519."""

from __future__ import annotations

from dataclasses import replace

from trainlint.analysis.conditions.alternatives import has_alternative
from trainlint.analysis.programs.old_names.deprecated_uses import DeprecatedUse
from trainlint.analysis.site import Site
from trainlint.analysis.tables.collectives import FUNCTIONS
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

    By default it is reported only where the project states a PyTorch that warns of it, or that lacks it
    ([`target-torch`](../configuration.md#target-torch)); elsewhere it is possible.

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

    def use(self, site: Site) -> DeprecatedUse | None:
        """A use of a private name where no public one stands beside it, with the newest name that the project has."""
        use = super().use(site)
        if use is None:
            return None
        row = use.deprecation
        newest = _NEWEST[row.replacement]
        if use.reference is not None and has_alternative(
            site.file, use.reference, site.block, (newest, row.replacement)
        ):
            return None
        if not site.has(_RENAMED_IN):
            return use
        return replace(use, deprecation=row._replace(replacement=newest, replaced_in=_RENAMED_IN))
