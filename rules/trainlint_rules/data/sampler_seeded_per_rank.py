"""TRN109."""

from __future__ import annotations

from trainlint.analysis.conditions.ranks import asks_for_rank
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant
from trainlint.analysis.syntax.reaching import single_value
from trainlint.analysis.tables.samplers import DISTRIBUTED_CALLS
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guard import early_guard
from trainlint.finding import Severity


@early_guard
def _unshuffled(site: Site) -> bool:
    """The sampler has `shuffle=False` and uses no seed."""
    return constant(argument(site.call, "shuffle", 3)) is False


class SamplerSeededPerRank(CallRule):
    """A DistributedSampler whose seed depends on the rank, so that shards overlap

    ## Why
    Each process shuffles all indices by the seed and takes every n-th of them, from its rank on. That shares the data
    out only if all processes shuffle alike. With a seed of its own for each rank the shards overlap: in an epoch of
    two processes about a quarter of the rows comes twice and another quarter never.

    ## Example
    ```python
    from torch.utils.data import DataLoader, DistributedSampler


    def make_loader(dataset, seed, rank, world_size):
        sampler = DistributedSampler(dataset, world_size, rank, seed=seed + rank)
        return DataLoader(dataset, 64, sampler=sampler, num_workers=8, pin_memory=True)
    ```

    ## Use instead
    ```python
    from torch.utils.data import DataLoader, DistributedSampler


    def make_loader(dataset, seed, rank, world_size):
        sampler = DistributedSampler(dataset, world_size, rank, seed=seed)
        return DataLoader(dataset, 64, sampler=sampler, num_workers=8, pin_memory=True)
    ```

    Seeds of their own are right for augmentations and dropout (`torch.manual_seed(seed + rank)`), not for samplers.

    ## Gain
    All rows once in each epoch: what it does to the result depends on the data, and is not measured here. The share of
    rows that is left out is 1/e, about 37%, with many processes, and 25% with two: by counting, as the test does.

    ## Confirmed by
    Indices of all ranks in one epoch, gathered: fewer distinct ones than the dataset has.

    ## References
    - `torch.utils.data.distributed.DistributedSampler`, `seed`: "should be identical across all processes":
      https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.distributed.DistributedSampler
    """

    code = "TRN109"
    name = "sampler-seeded-per-rank"
    severity = Severity.ERROR
    preview = True
    in_tests = True
    on = DISTRIBUTED_CALLS
    unless = (_unshuffled,)
    message = "each rank shuffles with its own seed `{text}`: shards overlap, and some rows are never seen"
    help = "pass the same seed on all ranks"

    def found(self, site: Site) -> Match | None:
        """A seed that is made of the rank."""
        seed = argument(site.call, "seed", 4)
        if seed is None or not asks_for_rank(single_value(seed, site.block) or seed, site.block):
            return None
        return Match(site.at(seed))
