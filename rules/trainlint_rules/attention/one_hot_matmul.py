"""TRN712."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from trainlint.analysis.site import Site
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Confidence, Edit, Safety
from trainlint_rules.attention.idioms.one_hots import ONE_HOT, indices, products, table_is_one_hot


class OneHotMatmul(CallRule):
    """Rows of a matrix are picked by a product with one-hot vectors

    ## Why
    A product with a one-hot vector copies one row and multiplies all others with zero. For n indices and a table of v
    rows of d numbers that is 2nvd operations and a matrix of n by v, 8 bytes each as `one_hot` makes it and 4 more once
    it is cast. `F.embedding` reads n rows. Its backward pass adds to the n rows that were read. A one-hot matrix that
    is transposed, stands on the right, or is weighed, mixed or smoothed before does something else than picking rows.

    ## Example
    ```python
    import torch.nn.functional as F
    from torch import nn


    class Lookup(nn.Module):
        def __init__(self, entries, width):
            super().__init__()
            self.entries = entries
            self.table = nn.Embedding(entries, width)

        def forward(self, ids):
            return F.one_hot(ids, self.entries).float() @ self.table.weight
    ```

    ## Use instead
    ```python
    import torch.nn.functional as F
    from torch import nn


    class Lookup(nn.Module):
        def __init__(self, entries, width):
            super().__init__()
            self.entries = entries
            self.table = nn.Embedding(entries, width)

        def forward(self, ids):
            return F.embedding(ids, self.table.weight)
    ```

    ## Fix safety
    The result is the same where the table has two dimensions and holds finite numbers: an infinite number makes NaN of
    all results of the product. The type of the result is that of the table, and under autocast the product was one of
    16 bits. Gradients are added up in another order.

    ## Confirmed by
    `aten::one_hot` or `aten::scatter_` before `aten::mm` in a profile.

    ## Gain
    The product, and memory of indices by entries. Not measured here; nothing to speak of for tables of some dozens of
    rows. Compilers for TPUs prefer the product, and it has a gradient for soft vectors, which the lookup has not.

    ## References
    - `torch.nn.functional.embedding`:
      https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.embedding.html
    """

    code = "TRN712"
    name = "one-hot-matmul"
    preview = True
    on = (ONE_HOT, ".scatter_")
    sure = Confidence.LIKELY
    unless = (table_is_one_hot,)
    message = "this product with one-hot rows (line {line}) reads all of `{table}` to pick some of its rows"
    help = "look the rows up with `F.embedding`"
    fix_title = "Look the rows up"
    fix_safety = Safety.UNSAFE

    def found(self, site: Site) -> Iterator[Match]:
        """The products that one-hot vectors are the left side of."""
        ids = indices(site)
        for product in products(site) if ids is not None else ():
            fields = {"line": site.call.lineno, "table": site.text(product.table), "product": product, "ids": ids}
            yield Match(site.at(product.node), fields=fields)

    def edits(self, site: Site, match: Match) -> Iterable[Edit]:
        """`F.embedding` of the indices, where the vectors stand in the product itself and keep their shape."""
        from trainlint.fixing.expressions import replace_by_text

        product, ids = match["product"], match["ids"]
        match site.call.func:
            case ast.Attribute(attr="one_hot", value=functions) if product.direct and not product.reshapes:
                rows = f"({ast.unparse(ids)}, {ast.unparse(product.table)})"
                yield replace_by_text(site.source, product.node, f"{ast.unparse(functions)}.embedding{rows}")
