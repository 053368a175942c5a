"""TRN529."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.conditions.forms.ranks import asks_for_rank
from trainlint.analysis.effects.collectives import collective
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name, names_in, nodes_in, position
from trainlint.analysis.syntax.uses import mentions
from trainlint.analysis.tables.collectives import ALL_REDUCE
from trainlint.evidence import Symptom
from trainlint.finding import Finding, Severity
from trainlint.rule import Rule, Triggers

_CUTTING = frozenset({"chunk", "split", "tensor_split"})


class ReduceScatterByHand(Rule):
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

    ## Stays silent
    Where the sum is used otherwise, too; where the part that is kept does not depend on the rank.

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
    severity = Severity.WARNING
    heat_matters = False
    preview = True
    confirmed_by = frozenset({Symptom.COLLECTIVE})
    confirmed_in_part = True
    triggers = Triggers(calls=frozenset({ALL_REDUCE.name}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find reductions whose only use is to cut out the part of this rank."""
        found = collective(site.file, site.call, site.block)
        if found is None or found.returns_handle or is_test_path(site.path) or not isinstance(found.tensor, ast.Name):
            return
        function = site.function
        if function is None:
            return
        name = found.tensor.id
        later = [node for node in mentions(function.node, name) if position(node) > position(found.tensor)]
        uses = [node for node in later if isinstance(node.ctx, ast.Load)]
        cuts = [part for part in _parts_of_rank(site, name) if position(part) > position(found.tensor)]
        inside = {part for cut in cuts for part in nodes_in(cut)}
        if len(cuts) == 1 and uses and all(node in inside for node in uses):
            yield self.finding(
                site,
                f"`all_reduce` brings the whole sum to every rank, and line {cuts[0].lineno} keeps this rank's part "
                "only; `reduce_scatter_tensor` sends half as much",
                confidence=0.9,
            )


def _parts_of_rank(site: Site, name: str) -> Iterator[ast.Subscript]:
    """Places that cut a rank's part out of a tensor: `x.chunk(n)[rank]`, `x[rank * size : (rank + 1) * size]`."""
    function = site.function
    assert function is not None
    for node in nodes_in(function.node):
        if not isinstance(node, ast.Subscript) or not isinstance(node.ctx, ast.Load):
            continue
        value = node.value
        if isinstance(value, ast.Call) and last_name(value.func) in _CUTTING:
            of = value.func.value if isinstance(value.func, ast.Attribute) else None
            if last_name(of) == "torch" if of is not None else True:
                of = value.args[0] if value.args else None
            if isinstance(of, ast.Name) and of.id == name and asks_for_rank(node.slice, site.block):
                yield node
        elif isinstance(value, ast.Name) and value.id == name and isinstance(node.slice, ast.Slice):
            lower = node.slice.lower
            if lower is not None and any("rank" in word.lower() for word in names_in(lower)):
                yield node
