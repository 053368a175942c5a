"""TRN529."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.conditions.forms.ranks import asks_for_rank
from trainlint.analysis.effects.collectives import collective
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name, names_in, nodes_in, position
from trainlint.analysis.syntax.uses import loads
from trainlint.analysis.tables.collectives import ALL_REDUCE
from trainlint.finding import Finding, Severity
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom

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
        cut = _only_use(site, found.tensor)
        if cut is not None:
            yield self.finding(
                site,
                f"`all_reduce` brings the whole sum to every rank, and line {cut.lineno} keeps this rank's part "
                "only; `reduce_scatter_tensor` sends half as much",
                confidence=0.9,
            )


def _only_use(site: Site, tensor: ast.Name) -> ast.Subscript | None:
    """The one place behind the reduction that cuts this rank's part out of a tensor, where nothing else reads it."""
    if site.function is None:
        return None
    root, start = site.function.node, position(tensor)
    later = [part for part in nodes_in(root) if isinstance(part, ast.Subscript) and position(part) > start]
    cuts = [part for part in later if _is_part_of_rank(site, part, tensor.id)]
    reads = {node for node, _ in loads(root, tensor.id) if position(node) > start}
    return cuts[0] if len(cuts) == 1 and reads and reads <= set(nodes_in(cuts[0])) else None


def _is_part_of_rank(site: Site, node: ast.Subscript, name: str) -> bool:
    """Whether this cuts a rank's part out of a tensor: `x.chunk(n)[rank]`, `x[rank * size : (rank + 1) * size]`."""
    value = node.value
    if not isinstance(node.ctx, ast.Load):
        return False
    if isinstance(value, ast.Call):
        whole = _cut(value)
        return isinstance(whole, ast.Name) and whole.id == name and asks_for_rank(node.slice, site.block)
    if not isinstance(value, ast.Name) or value.id != name or not isinstance(node.slice, ast.Slice):
        return False
    lower = node.slice.lower
    return lower is not None and any("rank" in word.lower() for word in names_in(lower))


def _cut(call: ast.Call) -> ast.expr | None:
    """The tensor that `x.chunk(n)` or `torch.chunk(x, n)` cuts into parts; None for other calls."""
    if last_name(call.func) not in _CUTTING:
        return None
    if isinstance(call.func, ast.Attribute) and last_name(call.func.value) != "torch":
        return call.func.value
    return call.args[0] if call.args else None
