"""TRN816."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.conditions.alternatives import depends_on_version
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import constant
from trainlint.finding import Finding, Fix, Safety, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom

_FIRST_WITH_DEVICE = (2, 0)
_TYPE = lazy(r"torch\.cuda\.(\w+)Tensor")


class CudaDefaultTensorType(Rule):
    """`torch.set_default_tensor_type` with a CUDA type puts every new tensor on the GPU

    ## Why
    Deprecated since PyTorch 2.1, which warns of it. A CUDA type as default sends every `torch.tensor(...)`, every index
    of a sampler and every random number to the device: `DataLoader(shuffle=True)` fails for want of a CUDA generator,
    worker processes must not touch the device, and items that were meant for the host are read back one by one. The
    device can be set by itself, and better, be given where a tensor is made.

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

    ## Stays silent
    For types of the host, as in `torch.set_default_tensor_type(torch.DoubleTensor)`; where a version decides; and where
    the project's oldest PyTorch is older than 2.0.

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
    severity = Severity.WARNING
    fix_safety = Safety.UNSAFE
    heat_matters = False
    confirmed_by = frozenset({Symptom.WARNING})
    warned_as = "set_default_tensor_type"
    triggers = Triggers(calls=frozenset({"set_default_tensor_type"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find defaults that are, or may be, a type of the CUDA device."""
        call = site.call
        if site.origin(call.func) != "torch.set_default_tensor_type" or not call.args or call.keywords:
            return
        if depends_on_version(site.block) or site.lacks(_FIRST_WITH_DEVICE):
            return
        given = call.args[0]
        choices = [given.body, given.orelse] if isinstance(given, ast.IfExp) else [given]
        types = [found[1] for found in (_TYPE.fullmatch(_name(site, item)) for item in choices) if found]
        if not types:
            return
        message = (
            "a CUDA type as default is deprecated since PyTorch 2.1, and puts samplers and data on the device too; "
            'give `device=` where tensors are made, or write `torch.set_default_device("cuda")`'
        )
        fix = _fix(site) if len(choices) == 1 and types == ["Float"] else None
        yield self.finding(site, message, confidence=0.95, fix=fix, fix_needs=_FIRST_WITH_DEVICE)


def _name(site: Site, node: ast.expr) -> str:
    value = constant(node)
    return value if isinstance(value, str) else site.origin(node) or ""


def _fix(site: Site) -> Fix | None:
    from trainlint.fixing.rewrite import attempt, replace_expression

    def make() -> Fix:
        import libcst as cst

        function = ast.unparse(site.call.func).replace("set_default_tensor_type", "set_default_device")
        new = cst.parse_expression(f'{function}("cuda")')
        return Fix("Set the device alone", (replace_expression(site.source, site.call, new),), Safety.UNSAFE)

    return attempt(make) if isinstance(site.call.func, ast.Attribute) else None
