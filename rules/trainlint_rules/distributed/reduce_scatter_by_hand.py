"""TRN529."""

from __future__ import annotations

import ast

from trainlint.analysis.effects.collectives import collective
from trainlint.analysis.site import Site
from trainlint.analysis.tables.collectives import ALL_REDUCE
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guard import guard
from trainlint.symptoms import Symptom
from trainlint_rules.distributed.idioms.collectives.collective_results import kept_part, reads_besides


@guard
def _used_otherwise(site: Site) -> bool:
    """The function reads the sum otherwise, too."""
    tensor = _reduced(site)
    part = kept_part(site, tensor) if tensor is not None else None
    return tensor is not None and part is not None and reads_besides(site, tensor, part)


class ReduceScatterByHand(CallRule):
    """An `all_reduce` of which each rank keeps only its own part

    ## Why
    `all_reduce` sums a tensor and brings the whole sum to every rank: on a ring it is a reduce-scatter followed by an
    all-gather. Where each rank then keeps its own part, the second half is thrown away. `reduce_scatter_tensor` sends
    half as much and needs memory for a part only.

    ## Example
    ```python
    import torch.distributed as dist


    def my_part(gradients, world_size):
        rank = dist.get_rank()
        dist.all_reduce(gradients)
        return gradients.chunk(world_size)[rank]
    ```

    ## Use instead
    ```python
    import torch.distributed as dist


    def my_part(gradients, world_size):
        part = gradients.new_empty((gradients.shape[0] // world_size, *gradients.shape[1:]))
        dist.reduce_scatter_tensor(part, gradients.contiguous())
        return part
    ```

    The first dimension must be divisible by the number of ranks; pad it where it is not. Along another dimension, move
    that to the front first.

    ## Confirmed by
    `trainlint probe` times the collective at this line where the host waits for it, as with gloo: the most that
    could be gained. Else `c10d::allreduce_` and a slice of its result in a profile; the bytes on the network.

    ## Gain
    Half of the traffic: 1 instead of 2 times the tensor on a ring (see NCCL's documentation below). Nothing with one
    process. That both give the same part is tested with two processes and gloo.

    ## References
    - `torch.distributed.reduce_scatter_tensor`:
      https://docs.pytorch.org/docs/stable/distributed.html#torch.distributed.reduce_scatter_tensor
    - Collective operations, on what an all-reduce is made of:
      https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/usage/collectives.html
    """

    code = "TRN529"
    name = "reduce-scatter-by-hand"
    preview = True
    confirmed_by = frozenset({Symptom.COLLECTIVE})
    confirmed_in_part = True
    on = (ALL_REDUCE.name,)
    unless = (_used_otherwise,)
    message = "`all_reduce` brings the whole sum to every rank, and only this rank's part is kept (line {line})"
    help = "use `reduce_scatter_tensor`, which sends half as much"

    def found(self, site: Site) -> Match | None:
        """A reduction behind which the part of this rank is cut out of the sum."""
        tensor = _reduced(site)
        part = kept_part(site, tensor) if tensor is not None else None
        return Match(site, fields={"line": part.lineno}) if part is not None else None


def _reduced(site: Site) -> ast.Name | None:
    """The tensor that is reduced before the next statement."""
    found = collective(site.file, site.call, site.block)
    return found.tensor if found and not found.returns_handle and isinstance(found.tensor, ast.Name) else None
