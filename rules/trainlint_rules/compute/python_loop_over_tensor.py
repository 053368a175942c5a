"""TRN412."""

from __future__ import annotations

import ast

from trainlint.analysis.site import Site
from trainlint.contract.bases import LoopRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Confidence
from trainlint_rules.compute.idioms.row_loops import (
    computes_with_rows,
    counted_tensor,
    is_tensor_on_device,
    over_sequence,
    rounds_depend,
    rows_differ,
    runs_seldom,
)


class PythonLoopOverTensor(LoopRule):
    """A Python loop takes a tensor on the device apart row by row: kernels for each row instead of for all

    ## Why
    Each operation on a row starts a kernel of its own, which costs the host 5 to 10 microseconds however few numbers
    there are, and so does taking the row. What a loop does to 256 rows with four operations each is a thousand
    kernels; the same four operations on the whole tensor are four. Summing 10 000 numbers in a loop took 92 ms on a
    CPU, `sum()` 0.0025 ms (PyTorch 2.13, two cores).

    ## Example
    ```python
    import torch


    class Scorer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(64, 64).cuda()

        def forward(self, queries, keys):
            encoded = self.layer(queries)
            scores = []
            for i in range(encoded.size(0)):
                scores.append((encoded[i] * keys[i]).sum())
            return torch.stack(scores)
    ```

    ## Use instead
    ```python
    import torch


    class Scorer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(64, 64).cuda()

        def forward(self, queries, keys):
            encoded = self.layer(queries)
            return (encoded * keys).sum(dim=-1)
    ```

    `torch.vmap` does the same for functions of one row that are harder to write for all.

    ## Confirmed by
    A row of equal short kernels with gaps between them in a profile, as many as the tensor has rows.

    ## Gain
    Four orders of magnitude in the measurement above, on the CPU. Nothing for a handful of rows.

    ## References
    - `torch.vmap`: https://docs.pytorch.org/docs/stable/generated/torch.vmap.html
    - Broadcasting: https://docs.pytorch.org/docs/stable/notes/broadcasting.html
    """

    code = "TRN412"
    name = "python-loop-over-tensor"
    preview = True
    sure = Confidence.LIKELY
    unless = (runs_seldom, over_sequence, rounds_depend, rows_differ)
    message = "this loop computes row by row over `{tensor}` and starts kernels for each row{often}"
    help = "compute with the whole tensor, or use `torch.vmap`"

    def found(self, site: Site) -> Match | None:
        """A loop over the rows of a tensor on the device."""
        loop = site.node
        tensor = counted_tensor(loop) if isinstance(loop, ast.For) else None
        if not isinstance(loop, ast.For) or tensor is None or not is_tensor_on_device(site, tensor):
            return None
        if not computes_with_rows(loop, tensor):
            return None
        return Match(site.at(loop.iter, site.loop), fields={"tensor": site.text(tensor)})
