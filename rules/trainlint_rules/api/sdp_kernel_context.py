"""TRN802."""

from __future__ import annotations

import ast

from trainlint.analysis.programs.old_names.deprecated_uses import DeprecatedUse
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant, has_unpacked_arguments
from trainlint.analysis.tables.versions.deprecations import Version
from trainlint.finding import Fix, Safety
from trainlint.symptoms import Symptom
from trainlint_rules.api import DeprecatedName

_FLAGS = {
    "enable_flash": "FLASH_ATTENTION",
    "enable_mem_efficient": "EFFICIENT_ATTENTION",
    "enable_math": "MATH",
    "enable_cudnn": "CUDNN_ATTENTION",
}
"""In the order in which `sdp_kernel` hands the backends on."""
_POSITIONS = {"enable_flash": 0, "enable_math": 1, "enable_mem_efficient": 2, "enable_cudnn": 3}
_FIRST_WITH_CUDNN = (2, 5)


class SdpKernelContext(DeprecatedName):
    """Attention backends chosen by `torch.backends.cuda.sdp_kernel`, deprecated since PyTorch 2.3

    ## Why
    `sdp_kernel` raises a FutureWarning at each use and hands over to `torch.nn.attention.sdpa_kernel`. Each of its four
    flags is true unless given: a call that switches off flash attention alone has allowed the cuDNN backend too since
    PyTorch 2.5, which came after most of these calls were written. The new context names what may run.

    ## Example
    ```python
    import torch
    import torch.nn.functional as F


    def attention(query, key, value):
        with torch.backends.cuda.sdp_kernel(enable_flash=True, enable_math=False, enable_mem_efficient=False):
            return F.scaled_dot_product_attention(query, key, value, is_causal=True)
    ```

    ## Use instead
    ```python
    from torch.nn.attention import sdpa_kernel
    from torch.nn.attention import SDPBackend
    import torch
    import torch.nn.functional as F


    def attention(query, key, value):
        with sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION]):
            return F.scaled_dot_product_attention(query, key, value, is_causal=True)
    ```

    ## Fix safety
    The old context leaves on what later versions of PyTorch add to it; the list names what may run today.

    ## Confirmed by
    `trainlint probe` notes PyTorch's FutureWarning at this line, which names `torch.backends.cuda.sdp_kernel`.

    ## Gain
    None by itself: a warning less, and a list that says which kernels may run.

    ## References
    - `torch.nn.attention.sdpa_kernel`:
      https://docs.pytorch.org/docs/stable/generated/torch.nn.attention.sdpa_kernel.html
    - The pull request that deprecated it: https://github.com/pytorch/pytorch/pull/114689
    """

    code = "TRN802"
    name = "sdp-kernel-context"
    aliases = ("TOR101", "TOR103")
    preview = True
    confirmed_by = frozenset({Symptom.WARNING})
    warned_as = "sdp_kernel"
    fix_safety = Safety.UNSAFE

    def needs(self, use: DeprecatedUse) -> Version | None:
        """The version that brought the backend of cuDNN, which the list may name."""
        return _FIRST_WITH_CUDNN if isinstance(use.at, ast.Call) else super().needs(use)

    def renamed(self, site: Site, use: DeprecatedUse) -> Fix | None:
        """The list of backends that the flags leave on, where all of them are literals."""
        call = use.at
        if not isinstance(call, ast.Call):
            return super().renamed(site, use)
        flags = {name: argument(call, name, _POSITIONS[name]) for name in _FLAGS}
        values = {name: True if node is None else constant(node) for name, node in flags.items()}
        known = sum(node is not None for node in flags.values()) == len(call.args) + len(call.keywords)
        if has_unpacked_arguments(call) or not known or not all(type(value) is bool for value in values.values()):
            return None
        backends = [backend for name, backend in _FLAGS.items() if values[name]]
        return _listed(site, call, backends) if backends else None


def _listed(site: Site, call: ast.Call, backends: list[str]) -> Fix | None:
    from trainlint.fixing.rewrite import attempt, ensure_import, replace_expression

    def make() -> Fix:
        import libcst as cst

        context, first = ensure_import(site.source, site.file.tree, "torch.nn.attention", "sdpa_kernel")
        backend, second = ensure_import(site.source, site.file.tree, "torch.nn.attention", "SDPBackend")
        names = ", ".join(f"{backend}.{name}" for name in backends)
        edit = replace_expression(site.source, call, cst.parse_expression(f"{context}([{names}])"))
        return Fix("Use torch.nn.attention.sdpa_kernel", (*first, *second, edit), Safety.UNSAFE)

    return attempt(make)
