"""TRN406."""

from __future__ import annotations

from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.analysis.tables.signs import HALF, MIXED_PRECISION, TF32
from trainlint.contract.bases import AbsenceRule
from trainlint.contract.guards.names import shows
from trainlint.contract.guards.programs import uses
from trainlint.finding import Confidence, Severity
from trainlint_rules.compute.idioms.training_precision import in_float64, quantised, trains_in_16_bits


class MatmulPrecisionUnset(AbsenceRule):
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
    costs_steps = True
    sure = Confidence.LIKELY
    networks = frozenset({"attention", "pretrained"})  # convolutions may use TF32 by default
    unless = (
        uses("the way into the loop sets TF32", FactKind.TF32),
        trains_in_16_bits,
        shows("the code names TF32 or 16 bits", *HALF, TF32, MIXED_PRECISION),
        in_float64,
        quantised,
    )
    message = "matrix products in this loop run in full float32: tensor cores are idle"
    help = 'call `torch.set_float32_matmul_precision("high")` once at the start, or train in bfloat16'
