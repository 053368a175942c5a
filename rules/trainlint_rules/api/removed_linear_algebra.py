"""TRN804."""

from __future__ import annotations

import ast

from trainlint.analysis.programs.old_names.deprecated_uses import DeprecatedUse
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import has_unpacked_arguments
from trainlint.finding import Fix, Safety, Severity
from trainlint.symptoms import Symptom
from trainlint_rules.api import DeprecatedName

_SAME_FOR_ONE_ARGUMENT = {"torch.qr": "torch.linalg.qr", "torch.cholesky": "torch.linalg.cholesky"}
"""With their defaults, these are the same functions under other names."""


class RemovedLinearAlgebra(DeprecatedName):
    """Linear algebra by names that PyTorch has taken away or will

    ## Why
    `torch.solve`, `lstsq`, `eig`, `matrix_rank`, `symeig`, `qr` and `cholesky` raise a RuntimeError whenever they are
    called: the first four since PyTorch 1.13, `symeig` since 2.0, `qr` and `cholesky` since 2.14. `chain_matmul`, `lu`,
    `lu_solve`, `triangular_solve` and `range` still work and warn.

    ## Example
    ```python
    import torch


    def whiten(covariance, features, first, second):
        factor = torch.cholesky(covariance)
        orthogonal, _ = torch.qr(features)
        return factor @ orthogonal, torch.ger(first, second), torch.chain_matmul(factor, factor, orthogonal)
    ```

    ## Use instead
    ```python
    import torch


    def whiten(covariance, features, first, second):
        factor = torch.linalg.cholesky(covariance)
        orthogonal, _ = torch.linalg.qr(features)
        return factor @ orthogonal, torch.outer(first, second), torch.linalg.multi_dot([factor, factor, orthogonal])
    ```

    The rest asks for a person: `torch.linalg.solve(A, B)` takes its arguments the other way round,
    `torch.linalg.eigh` reads the lower triangle unless told `UPLO="U"`, `torch.linalg.svd` returns V transposed, and
    `torch.arange` ends before its end.

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

    def renamed(self, site: Site, use: DeprecatedUse) -> Fix | None:
        """Names that are exact in every call, and those that are in this one."""
        call = use.at
        if not isinstance(call, ast.Call) or use.deprecation.exact:
            return super().renamed(site, use)
        symbol = use.deprecation.symbol
        if call.keywords or has_unpacked_arguments(call):
            return None
        if symbol == "torch.chain_matmul" and len(call.args) > 1:
            return _rewritten(site, call, "torch.linalg.multi_dot", listed=True)
        if symbol in _SAME_FOR_ONE_ARGUMENT and len(call.args) == 1:
            return _rewritten(site, call, _SAME_FOR_ONE_ARGUMENT[symbol], listed=False)
        return None


def _rewritten(site: Site, call: ast.Call, new: str, *, listed: bool) -> Fix | None:
    from trainlint.fixing.rewrite import attempt, ensure_import, expression, replace_expression

    def make() -> Fix:
        import libcst as cst

        module, _, name = new.rpartition(".")
        written, imports = ensure_import(site.source, site.file.tree, module, name)
        node = expression(site.source, call)
        assert isinstance(node, cst.Call)
        changed = node.with_changes(func=cst.parse_expression(written))
        if listed:
            items = [cst.Element(item.value, item.comma) for item in node.args]
            changed = changed.with_changes(args=[cst.Arg(cst.List(items))])
        return Fix(f"Use {new}", (*imports, replace_expression(site.source, call, changed)), Safety.SAFE)

    return attempt(make)
