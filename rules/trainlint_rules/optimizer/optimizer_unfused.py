"""TRN602."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.programs.optimizer_builds import optimizer_builds
from trainlint.analysis.programs.proof_of_absence import ProofOfAbsence, proof_of_absence
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import has_unpacked_arguments, last_name
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.analysis.tables.optimizers import FUSED_SINCE
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom
from trainlint_rules.optimizer.idioms.optimizers import Act, actions

_CHOSEN = frozenset({"fused", "foreach", "capturable", "differentiable"})
_OTHER_DEVICES = lazy(r"torch_xla|\bxm\.|mps|sparse=True|SparseAdam|is_sparse")
"""Where the fused kernel is missing, or does not take the gradients."""


class OptimizerUnfused(Rule):
    """Adam, AdamW or SGD on CUDA without `fused=True`

    ## Why
    By default the optimizer runs its foreach implementation: about a dozen kernels over lists of tensors, each of which
    reads and writes all parameters, gradients or moments once more, and needs about one more copy of the parameters
    at its peak. The fused implementation does the whole update of a tensor in one kernel and without that copy. With a
    GradScaler it also divides by the scale on the device, without a wait for the host. PyTorch never chooses it by
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

    ## Stays silent
    Where an implementation is chosen, a framework owns the loop, or the way into it is not in sight; for sparse
    gradients and devices without the kernel; where the project lets in a PyTorch that lacks it (`Adam` and `AdamW` 2.0,
    `SGD` 2.3).

    ## Confirmed by
    `trainlint probe` tries, after the measured steps, each way in which this optimizer could update copies of its
    parameters, and tells what a step would gain by the fastest. Else a dozen `multi_tensor_apply_kernel` of
    `_foreach_` functions under `Optimizer.step` in a profile, no `_fused_`.

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
    heat_matters = False
    preview = True
    confirmed_by = frozenset({Symptom.OPTIMIZER_STEP})
    triggers = Triggers(loops=True)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find the optimizers that a loop on CUDA steps and that are built without a choice of implementation."""
        if site.file.says(_OTHER_DEVICES) or is_test_path(site.path):
            return
        way = proof_of_absence(site)
        if way is None or way.uses(FactKind.FUSED_OPTIMIZER):
            return
        for name in _stepped(site, way):
            yield from _findings(site.file, self, name)


def _stepped(site: Site, way: ProofOfAbsence) -> set[str]:
    return {item.owner for item in actions(site.file, way.loop) if item.act is Act.STEP}


@once
def _findings(file: SemanticModel, rule: OptimizerUnfused, name: str) -> list[Finding]:
    """What there is to say of the optimizers of a name, whichever loop steps them."""
    return [
        rule.finding(
            Site(file, build.place),
            f"`{last_name(call.func)}` updates the parameters by a dozen kernels over all of them, and needs another "
            "copy of them; on CUDA `fused=True` does it in one",
            confidence=0.75,
        )
        for call, build in optimizer_builds(file).items()
        if build.name == name and _could_be_fused(file, call, build.place.block)
    ]


def _could_be_fused(file: SemanticModel, call: ast.Call, block: Block) -> bool:
    """Whether an optimizer has a fused implementation and is built without a word on which to take."""
    name = last_name(call.func)
    if name not in FUSED_SINCE or not _lets_in(file, name) or has_unpacked_arguments(call):
        return False
    origin = file.kinds.imported(call.func, block) or ""
    return origin.startswith("torch.optim") and not _CHOSEN & {keyword.arg for keyword in call.keywords}


def _lets_in(file: SemanticModel, name: str) -> bool:
    """Whether all versions of PyTorch that the project lets in have the fused implementation."""
    target = file.config.target_torch
    return target is None or not target.lacks(FUSED_SINCE[name])
