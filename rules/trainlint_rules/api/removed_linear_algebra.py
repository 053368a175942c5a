"""TRN804."""

from __future__ import annotations

from trainlint.analysis.programs.old_names.deprecated_uses import DeprecatedUse
from trainlint.analysis.site import Site
from trainlint.finding import Fix, Severity
from trainlint.symptoms import Symptom
from trainlint_rules.api import DeprecatedName


class RemovedLinearAlgebra(DeprecatedName):
    """Linear algebra by names that PyTorch has taken away or will

    ## Why
    `torch.solve`, `lstsq`, `eig`, `matrix_rank`, `symeig`, `qr` and `cholesky` raise a RuntimeError whenever they are
    called: the first four since PyTorch 1.13, `symeig` since 2.0, `qr` and `cholesky` since 2.14. `chain_matmul`, `lu`,
    `lu_solve`, `triangular_solve` and `range` still work and warn.

    By default it is reported only where the project states a PyTorch that warns of it, or that lacks it
    ([`target-torch`](../configuration.md#target-torch)); elsewhere it is possible.

    ## Example
    ```python
    import torch


    def whiten(covariance, features):
        factor = torch.cholesky(covariance)
        orthogonal, _ = torch.qr(features)
        return factor @ orthogonal, torch.chain_matmul(factor, factor, orthogonal)
    ```

    ## Use instead
    ```python
    import torch


    def whiten(covariance, features):
        factor = torch.linalg.cholesky(covariance)
        orthogonal, _ = torch.linalg.qr(features)
        return factor @ orthogonal, torch.linalg.multi_dot([factor, factor, orthogonal])
    ```

    `torch.cholesky(A, upper=True)` becomes `torch.linalg.cholesky(A, upper=True)`, which reads the upper triangle as
    before; `torch.linalg.cholesky(A).mH` reads the lower one. `torch.qr(A)` is `torch.linalg.qr(A)`, and
    `torch.chain_matmul(A, B, C)` is `torch.linalg.multi_dot([A, B, C])`. `torch.range` includes its end and gives
    floating-point numbers: `torch.range(0, 7)` is `torch.arange(0, 8, dtype=torch.get_default_dtype())`.

    Others need more than a new name: `torch.linalg.solve(A, B)` takes its arguments the other way round,
    `torch.linalg.eigh` reads the lower triangle unless told `UPLO="U"`, `torch.linalg.svd` returns V transposed, and a
    range of floating-point numbers, or up to a number that is not in sight, may end elsewhere than `torch.arange`.

    ## Confirmed by
    `trainlint probe` notes PyTorch's UserWarning at this line. The seven that are gone raise a RuntimeError at the
    first call, and `ger`, `svd` and `norm` say nothing.

    ## Gain
    A program that runs. In speed, none is promised; not measured here.

    ## References
    - `torch.linalg`: https://docs.pytorch.org/docs/stable/linalg.html
    - Removal of `torch.symeig`: https://github.com/pytorch/pytorch/pull/70988
    """

    code = "TRN804"
    name = "removed-linear-algebra"
    severity = Severity.ERROR
    aliases = ("TOR001", "TOR004", "TOR101", "TOR103")
    confirmed_by = frozenset({Symptom.WARNING})
    warned_as = "is deprecated"
    fix_safety = None

    def renamed(self, site: Site, use: DeprecatedUse) -> Fix | None:
        """Nothing: most of the new functions take other arguments."""
        return None
