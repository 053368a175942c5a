"""TRN406."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainlint.analysis.programs.proof_of_absence import proof_of_absence
from trainlint.analysis.site import Site
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers

_SETTLED = (FactKind.TF32, FactKind.AUTOCAST, FactKind.HALF_WEIGHTS, FactKind.GRAD_SCALER)
_PRODUCTS = frozenset({"attention", "pretrained"})
"""Networks whose time goes into matrix products. Convolutions may use TF32 by default."""
_SPOKEN_OF = lazy(
    r"tf32|matmul_precision|fp32_precision|autocast|bfloat16|float16|bf16|fp16|\.half\(|mixed_precision", re.IGNORECASE
)
_EXACT = lazy(
    r"float64|\.double\(|DoubleTensor|quantiz|quantis|int8|torch_geometric|\bdgl\b|mnist|gymnasium|torch\.linalg|"
    r"use_deterministic_algorithms",
    re.IGNORECASE,
)
"""Code that needs its precision, or is too small to gain."""


class MatmulPrecisionUnset(Rule):
    """A network of attention trains on CUDA in float32, and its matrix products are never allowed TF32

    ## Why
    GPUs from Ampere on multiply float32 matrices in TF32 on tensor cores: the same range, 10 bits of mantissa in the
    factors, sums in float32. PyTorch uses it in convolutions, but not in matrix products unless asked, since 1.12.
    PyTorch's notes measured 0.016 s instead of 0.11 s for a product of two matrices of size 10240 on an A100, 7 times
    as fast.

    ## Example
    ```python
    import torch
    from torch import nn

    from data import train_loader


    def train(epochs):
        model = nn.TransformerEncoderLayer(1024, 16, batch_first=True).cuda()
        optimizer = torch.optim.AdamW(model.parameters())
        for epoch in range(epochs):
            for tokens, targets in train_loader:
                tokens = tokens.cuda(non_blocking=True)
                targets = targets.cuda(non_blocking=True)
                loss = nn.functional.mse_loss(model(tokens), targets)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


    if __name__ == "__main__":
        train(10)
    ```

    ## Use instead
    ```python
    import torch
    from torch import nn

    from data import train_loader


    def train(epochs):
        model = nn.TransformerEncoderLayer(1024, 16, batch_first=True).cuda()
        optimizer = torch.optim.AdamW(model.parameters())
        for epoch in range(epochs):
            for tokens, targets in train_loader:
                tokens = tokens.cuda(non_blocking=True)
                targets = targets.cuda(non_blocking=True)
                with torch.autocast("cuda", dtype=torch.bfloat16):
                    loss = nn.functional.mse_loss(model(tokens), targets)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


    if __name__ == "__main__":
        torch.set_float32_matmul_precision("high")
        train(10)
    ```

    The one line at the start, `torch.set_float32_matmul_precision("high")`, is what this rule asks for. Autocast
    besides gains more.

    ## Stays silent
    Where the way into the loop speaks of TF32, even to forbid it, or trains in 16 bits, where little float32 is left;
    where a part of the way is out of sight or a framework is in charge; for networks without attention; in float64,
    quantised, deterministic and linear algebra code; for small data sets and graphs.

    ## Confirmed by
    `torch.get_float32_matmul_precision()` is "highest" in a training step whose profile holds `sgemm` kernels.

    ## Gain
    7 times for one large product on an A100 (PyTorch's notes on CUDA semantics); not measured here. Nothing on GPUs
    before Ampere.

    ## References
    - TensorFloat-32: https://docs.pytorch.org/docs/stable/notes/cuda.html#tensorfloat-32-tf32-on-ampere-and-later-devices
    - `torch.set_float32_matmul_precision`:
      https://docs.pytorch.org/docs/stable/generated/torch.set_float32_matmul_precision.html
    """

    code = "TRN406"
    name = "matmul-precision-unset"
    severity = Severity.ADVICE
    heat_matters = False
    triggers = Triggers(loops=True)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find training loops in float32 around which nothing speaks of TF32."""
        way = proof_of_absence(site)
        if way is None or way.uses(*_SETTLED) or not way.details(FactKind.NETWORK) & _PRODUCTS:
            return
        if site.file.says(_SPOKEN_OF) or site.file.says(_EXACT):
            return
        yield self.finding(
            site.at(site.node, way.loop),
            "this loop multiplies matrices in full float32, which leaves tensor cores idle; call "
            '`torch.set_float32_matmul_precision("high")` once at the start, or train in bfloat16',
            at=way.shown_at(site.file),
            confidence=0.75,
        )
