"""TRN711."""

from __future__ import annotations

import ast

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name
from trainlint.contract.declared_rule import DeclaredRule, Match
from trainlint.contract.guards.autograd import autograd_off
from trainlint.finding import Confidence, Severity
from trainlint.patterns import lazy
from trainlint.rule import Triggers

_INDICES = lazy(r"(^|_)(ids|indices|tokens|positions|labels|classes)$")
_TABLES = frozenset(
    {
        "torch.nn.Embedding",
        "torch.nn.modules.sparse.Embedding",
        "torch.nn.Parameter",
        "torch.nn.parameter.Parameter",
    }
)


class IndexSelectAsEmbedding(DeclaredRule):
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
    sure = Confidence.LIKELY
    also = Triggers(subscripts=True)
    unless = (autograd_off,)
    message = "the backward pass of `{text}` is slow where an index comes often"
    help = "use `F.embedding({indices}, {table})`"

    def found(self, site: Site) -> Match | None:
        """A parameter of this object, or the weight of an embedding, that is indexed by a tensor of indices."""
        match site.node:
            case ast.Subscript(value=ast.Attribute() as table, slice=indices, ctx=ast.Load()):
                built = site.file.outline.bindings(table.value if table.attr == "weight" else table, site.block)
                made = built[0].value if len(built) == 1 else None
                named = isinstance(indices, ast.Name | ast.Attribute) and _INDICES.search(last_name(indices))
                if named and isinstance(made, ast.Call):
                    if site.file.outline.imported(made.func, built[0].block) in _TABLES and len(_sizes(made)) == 2:
                        return Match(site, fields={"indices": site.text(indices), "table": site.text(table)})
        return None


def _sizes(made: ast.Call) -> list[ast.expr]:
    """The sizes of an embedding, or of what a parameter is made of: `nn.Parameter(torch.zeros(n, d))`."""
    inner = made.args[0] if made.args and isinstance(made.args[0], ast.Call) else None
    if inner is None:
        return made.args[:2]
    return inner.args[0].elts if inner.args and isinstance(inner.args[0], ast.Tuple) else inner.args
