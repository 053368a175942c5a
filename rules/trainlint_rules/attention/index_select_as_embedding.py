"""TRN711."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.analysis.effects.forward import computes
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant, last_name
from trainlint.analysis.types.values import Kind
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers

_INDICES = lazy(r"(^|_)(ids|indices|tokens|positions|labels|classes)$")
_NO_INDICES = lazy(r"mask|keep|valid|perm|sort|order|topk", re.IGNORECASE)
"""Truth values, and indices that come once each."""
_MODEL_WORDS = ("torch.nn.Embedding", "torch.nn.modules.sparse.Embedding")
_PARAMETERS = ("torch.nn.Parameter", "torch.nn.parameter.Parameter")


class IndexSelectAsEmbedding(Rule):
    """Rows of a table of parameters are picked by indexing instead of by an embedding

    ## Why
    In the forward pass `table[ids]` and `F.embedding(ids, table)` copy the same rows. In the backward pass indexing
    adds to the table by a kernel made for any index in any dimension, which is slow on CUDA where an index comes many
    times, as tokens, positions and labels do; that of the embedding is made for this case.

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

    ## Stays silent
    For buffers, masks, slices and numbers; for permutations, in which each index comes once; for tables that are not
    of two dimensions; without gradients; in tests and benchmarks. Quietly, below the default confidence: for
    `index_select`, whose backward pass adds atomically and is fast.

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
    heat_matters = False
    preview = True
    triggers = Triggers(calls=frozenset({"index_select"}), subscripts=True)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find parameters of two dimensions that are indexed by tensors of indices in a forward pass."""
        table, indices, by_call = _lookup(site)
        if table is None or indices is None or is_test_path(site.path) or site.gradients_off:
            return
        if not computes(site.file, site.block) or not _is_index(site, indices) or not _is_table(site, table):
            return
        yield self.finding(
            site,
            f"the backward pass of this lookup is slow where an index comes often; use "
            f"`F.embedding({ast.unparse(indices)[:40]}, {ast.unparse(table)})`",
            confidence=0.5 if by_call else 0.75,
        )


def _lookup(site: Site) -> tuple[ast.expr | None, ast.expr | None, bool]:
    """What is indexed, by what, and whether by `index_select`."""
    node = site.node
    if isinstance(node, ast.Subscript):
        return (node.value, node.slice, False) if isinstance(node.ctx, ast.Load) else (None, None, False)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None, None, True
    method = site.origin(node.func) is None
    table = node.func.value if method else argument(node, "input", 0)
    dimension, indices = argument(node, "dim", 0 if method else 1), argument(node, "index", 1 if method else 2)
    return (table, indices, True) if constant(dimension) == 0 else (None, None, True)


def _is_index(site: Site, node: ast.expr) -> bool:
    if not isinstance(node, ast.Name | ast.Attribute | ast.Call) or _NO_INDICES.search(ast.unparse(node)):
        return False
    value = site.value(node)
    if value.kind not in (Kind.TENSOR, Kind.UNKNOWN):
        return False
    return bool(_INDICES.search(last_name(node)))


def _is_table(site: Site, node: ast.expr) -> bool:
    """Whether an attribute of the object is a parameter of two dimensions, or the weight of an embedding."""
    if not isinstance(node, ast.Attribute):
        return False
    if node.attr == "weight" and isinstance(node.value, ast.Attribute):
        return _built(site, node.value, _MODEL_WORDS) is not None
    made = _built(site, node, _PARAMETERS)
    given = made.args[0] if made is not None and made.args else None
    return isinstance(given, ast.Call) and _dimensions(given) == 2


def _built(site: Site, node: ast.Attribute, origins: tuple[str, ...]) -> ast.Call | None:
    """The one call that makes an attribute of the object, if it is of these."""
    function = site.function
    if function is None or function.owner is None or not isinstance(node.value, ast.Name) or node.value.id != "self":
        return None
    bindings = function.owner.attributes.get(node.attr, [])
    value = bindings[0].value if len(bindings) == 1 else None
    if not isinstance(value, ast.Call) or site.file.kinds.imported(value.func, bindings[0].block) not in origins:
        return None
    return value


def _dimensions(creation: ast.Call) -> int | None:
    """How many dimensions a literal shape has: `zeros(n, d)`, `randn((n, d))`."""
    if last_name(creation.func) not in ("zeros", "ones", "randn", "rand", "empty"):
        return None
    given = [item for item in creation.args if not isinstance(item, ast.Starred)]
    if len(given) != len(creation.args):
        return None
    if len(given) == 1:
        return len(given[0].elts) if isinstance(given[0], ast.Tuple | ast.List) else None
    return len(given)
