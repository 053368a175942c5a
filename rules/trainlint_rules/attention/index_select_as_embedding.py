"""TRN711."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.autograd import autograd_off
from trainlint.finding import Confidence, Severity
from trainlint.rule import Triggers
from trainlint_rules.attention.idioms.forwards import outside_forward
from trainlint_rules.attention.idioms.tables import come_once_each, lookup


class IndexSelectAsEmbedding(CallRule):
    """Rows of a table of parameters are picked by indexing instead of by an embedding

    ## Why
    In the forward pass `table[ids]` and `F.embedding(ids, table)` copy the same rows. In the backward pass indexing
    adds to the table by a kernel made for any index in any dimension, which is slow on CUDA where an index comes many
    times, as tokens, positions and labels do; that of the embedding is made for this case. `index_select` adds
    atomically and is fast: its findings are possible, not likely. Buffers have no gradient, and an embedding takes
    tables of two dimensions only.

    ## Example
    ```python
    import torch
    from torch import nn


    class Positions(nn.Module):
        def __init__(self, length, width):
            super().__init__()
            self.table = nn.Parameter(torch.zeros(length, width))

        def forward(self, x, position_ids):
            return x + self.table[position_ids]
    ```

    ## Use instead
    ```python
    import torch
    from torch import nn


    class Positions(nn.Module):
        def __init__(self, length, width):
            super().__init__()
            self.table = nn.Parameter(torch.zeros(length, width))

        def forward(self, x, position_ids):
            return x + nn.functional.embedding(position_ids, self.table)
    ```

    An embedding takes no negative indices.

    ## Confirmed by
    `indexing_backward_kernel`, or `aten::_index_put_impl_` in the backward pass of a profile, with a long sort before.

    ## Gain
    In a benchmark of its authors on a V100 the backward pass of indexing lost up to 11 ms against `gather`, and that
    of an embedding 0.2 ms (pytorch#15245, of 2018; newer versions have come nearer), and indices that come very often
    are slow still (pytorch#41162). Not measured here; nothing on a CPU, where `index_select` was the faster one.

    ## References
    - Embedding against indexing: https://github.com/pytorch/pytorch/issues/15245
    - Indices that come often: https://github.com/pytorch/pytorch/issues/41162
    """

    code = "TRN711"
    name = "index-select-as-embedding"
    severity = Severity.ADVICE
    preview = True
    on = ("index_select",)
    also = Triggers(subscripts=True)
    unless = (come_once_each, autograd_off, outside_forward)
    message = "the backward pass of `{text}` is slow where an index comes often"
    help = "use `F.embedding({indices}, {table})`"

    def found(self, site: Site) -> Match | None:
        """A parameter of two dimensions that is indexed by a tensor of indices."""
        rows = lookup(site)
        if rows is None:
            return None
        sure = Confidence.POSSIBLE if rows.by_call else Confidence.LIKELY
        return Match(site, sure, {"indices": site.text(rows.indices), "table": site.text(rows.table)})
