"""TRN815."""

from __future__ import annotations

from trainlint.analysis.programs.old_names.deprecated_uses import DeprecatedUse
from trainlint.analysis.site import Site
from trainlint.finding import Fix
from trainlint.symptoms import Symptom
from trainlint_rules.api import DeprecatedName


class DistributedNnDeprecated(DeprecatedName):
    """A collective of `torch.distributed.nn`, deprecated since PyTorch 2.12

    ## Why
    The collectives of `torch.distributed.nn` that pass gradients warn at each call since PyTorch 2.12 and cannot be
    compiled. Those of `torch.distributed._functional_collectives` carry gradients themselves since 2.11.

    By default it is reported only where the project states a PyTorch that warns of it, or that lacks it
    ([`target-torch`](../configuration.md#target-torch)); elsewhere it is possible.

    ## Example
    ```python
    import torch
    import torch.distributed.nn


    def gathered(features):
        return torch.cat(torch.distributed.nn.all_gather(features))
    ```

    ## Use instead
    ```python
    import torch.distributed as dist
    import torch.distributed._functional_collectives as collectives


    def gathered(features):
        return collectives.all_gather_single(features, gather_dim=0, group=dist.group.WORLD)
    ```

    Both sum the gradients of all processes. A list into which the local tensor is put back, `pieces[rank] = features`,
    keeps the local gradient alone: to replace that one by either changes the scale of the loss.

    ## Confirmed by
    `trainlint probe` notes PyTorch's FutureWarning at this line, which names `torch.distributed.nn.functional`.
    Under `torch.compile`, a RuntimeError.

    ## Gain
    Functions that can be compiled, and one tensor instead of a list and its concatenation; not measured here.

    ## References
    - `torch.distributed`: https://docs.pytorch.org/docs/stable/distributed.html
    - Source of `torch.distributed.nn`:
      https://github.com/pytorch/pytorch/blob/main/torch/distributed/nn/functional.py
    """

    code = "TRN815"
    name = "distributed-nn-deprecated"
    fix_safety = None
    preview = True
    confirmed_by = frozenset({Symptom.WARNING})
    warned_as = "torch.distributed.nn"

    def renamed(self, site: Site, use: DeprecatedUse) -> Fix | None:
        """None: the results have other shapes, and who reads them is for a person to look at."""
        return None
