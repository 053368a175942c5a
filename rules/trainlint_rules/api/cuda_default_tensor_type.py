"""TRN816."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from trainlint.analysis.site import Site
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.conditions import decided_by_version
from trainlint.contract.guards.files import supports_older_than
from trainlint.finding import Edit, Safety
from trainlint.symptoms import Symptom
from trainlint_rules.api.idioms.guards import sure_if_warned
from trainlint_rules.api.idioms.tensor_types import default_types

_FIRST_WITH_DEVICE = (2, 0)
_WARNS_SINCE = (2, 1)


class CudaDefaultTensorType(CallRule):
    """`torch.set_default_tensor_type` with a CUDA type puts every new tensor on the GPU

    ## Why
    Deprecated since PyTorch 2.1, which warns of it. A CUDA type as default sends every `torch.tensor(...)`, every index
    of a sampler and every random number to the device: `DataLoader(shuffle=True)` fails for want of a CUDA generator,
    worker processes must not touch the device, and items that were meant for the host are read back one by one. The
    device can be set by itself, and better, be given where a tensor is made.

    By default it is reported only where the project states a PyTorch that warns of it, or that lacks it
    ([`target-torch`](../configuration.md#target-torch)); elsewhere it is possible.

    ## Example
    ```python
    import torch


    def main(train):
        torch.set_default_tensor_type("torch.cuda.FloatTensor")
        train()
    ```

    ## Use instead
    ```python
    import torch


    def main(train):
        torch.set_default_device("cuda")
        train()
    ```

    Most programs need neither: `device=` at the few factories of the training step does it.

    ## Fix safety
    `set_default_device` covers factory functions, not legacy constructors: `torch.FloatTensor(3)` and `torch.Tensor(3)`
    stay on the host where they were on the device. The current device counts as it did.

    ## Confirmed by
    `trainlint probe` notes PyTorch's UserWarning at this line. Else small copies from the host to the device
    wherever data is loaded.

    ## Gain
    Not measured here. Nothing where the loader neither shuffles nor makes tensors.

    ## References
    - `torch.set_default_tensor_type`:
      https://docs.pytorch.org/docs/stable/generated/torch.set_default_tensor_type.html
    - `torch.set_default_device`: https://docs.pytorch.org/docs/stable/generated/torch.set_default_device.html
    """

    code = "TRN816"
    name = "cuda-default-tensor-type"
    editor_tag = "deprecated"
    confirmed_by = frozenset({Symptom.WARNING})
    warned_as = "set_default_tensor_type"
    on = ("torch.set_default_tensor_type",)
    in_tests = True
    unless = (supports_older_than(_FIRST_WITH_DEVICE), decided_by_version)
    message = "a CUDA type as default is deprecated since PyTorch 2.1, and puts samplers and data on the GPU too"
    help = 'pass `device=` where tensors are made, or call `torch.set_default_device("cuda")`'
    fix_title = "Set the device alone"
    fix_safety = Safety.UNSAFE
    fix_needs = _FIRST_WITH_DEVICE

    def found(self, site: Site) -> Match | None:
        """A default that is, or may be, a type of the CUDA device."""
        types = default_types(site)
        of_cuda = any(name.startswith("torch.cuda.") and name.endswith("Tensor") for name in types)
        return Match(site, sure_if_warned(site, _WARNS_SINCE), {"types": types}) if of_cuda else None

    def edits(self, site: Site, match: Match) -> Iterable[Edit]:
        """`set_default_device("cuda")`, where the type is float32, the default."""
        from trainlint.fixing.expressions import replace_by_text

        if match["types"] == ["torch.cuda.FloatTensor"] and isinstance(site.call.func, ast.Attribute):
            module = ast.unparse(site.call.func.value)
            yield replace_by_text(site.source, site.call, f'{module}.set_default_device("cuda")')
