"""TRN602."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.analysis.programs.proof_of_absence import way_into_training
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.analysis.tables.signs import MPS, XLA
from trainlint.contract.bases import LoopRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.names import shows
from trainlint.contract.guards.programs import out_of_sight, owned_by_framework, uses
from trainlint.finding import Confidence, Severity
from trainlint_rules.optimizer.idioms.implementations import (
    builds_of,
    cannot_be_fused,
    gradients_may_be_sparse,
    implementation_is_chosen,
)
from trainlint_rules.optimizer.idioms.optimizers import Act, actions, actions_of


class OptimizerUnfused(LoopRule):
    """Adam, AdamW or SGD on CUDA without `fused=True`

    ## Why
    By default the optimizer runs its foreach implementation: about a dozen kernels over lists of tensors, each of which
    reads and writes all parameters, gradients or moments once more, and needs about one more copy of the parameters
    at its peak. The fused implementation does the whole update of a tensor in one kernel and without that copy. With a
    GradScaler it also divides by the scale on the GPU, without a wait for the CPU. PyTorch never chooses it by
    itself.

    ## Example
    ```python
    import torch

    from project import criterion, model, train_loader

    model = model.cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    for inputs, targets in train_loader:
        inputs, targets = inputs.cuda(non_blocking=True), targets.cuda(non_blocking=True)
        loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    ```

    ## Use instead
    ```python
    import torch

    from project import criterion, model, train_loader

    model = model.cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    for inputs, targets in train_loader:
        inputs, targets = inputs.cuda(non_blocking=True), targets.cuda(non_blocking=True)
        loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    ```

    The fused kernel rounds differently and takes dense floating-point parameters. It asks for CUDA (or another device
    with such a kernel) when the optimizer is built, so that a program which also runs elsewhere decides by the device.

    ## Confirmed by
    `trainlint prove --fixes TRN602 train.py` measures steps with and without it. In a profile, a dozen
    `multi_tensor_apply_kernel` of `_foreach_` functions under `Optimizer.step`, no `_fused_`.

    ## Gain
    PyTorch's documentation calls fused "theoretically fastest" of the implementations. The optimizer's own share of the
    step bounds the gain: large for many parameters and small batches, a few percent or nothing for a convolutional
    net with large ones. Not measured here.

    ## References
    - Implementations of optimizers: https://docs.pytorch.org/docs/stable/optim.html#algorithms
    """

    code = "TRN602"
    name = "optimizer-unfused"
    severity = Severity.ADVICE
    preview = True
    sure = Confidence.LIKELY
    unless = (
        out_of_sight,
        owned_by_framework,
        uses("a fused optimizer is used", FactKind.FUSED_OPTIMIZER),
        implementation_is_chosen,
        cannot_be_fused,
        shows("the code names devices without the fused kernel", XLA, MPS),
        gradients_may_be_sparse,
    )
    message = "`{optimizer}` updates all parameters with a dozen kernels and a temporary copy of them{often}"
    help = "pass `fused=True`, which takes one kernel on CUDA"

    def found(self, site: Site) -> Iterator[Match]:
        """The optimizers that a training loop on CUDA steps."""
        way = way_into_training(site)
        steps = actions_of(actions(site.file, way.loop), Act.STEP) if way is not None else []
        for call in builds_of(site.file, steps):
            yield Match(site.at(call, site.loop), fields={"optimizer": last_name(call.func)})
