"""TRN514."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainlint.analysis.conditions.alternatives import depends_on_version
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.programs.wraps import SHARDING_ROOTS, wrap
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.uses import call_of
from trainlint.analysis.tables.parallel import Wrapper
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers

_SUCCESSOR = (2, 6)
"""The first version whose `torch.distributed.fsdp` offers `fully_shard`."""
_BOTH = lazy(r"\bfully_shard\b|fsdp_?version|fsdp_?2|is_fsdp2", re.IGNORECASE)
"""Signs that the file knows the successor, and keeps the old way beside it."""

_IN_TESTS = 0.5
"""Tests may be there for the old wrapper."""


class Fsdp1Api(Rule):
    """`FullyShardedDataParallel` where the project's PyTorch has its successor, `fully_shard`

    ## Why
    The old wrapper flattens the parameters of a unit into one: names and frozen parameters get lost in it, all of them
    must have the same type, and memory that streams share is freed late and by chance. `fully_shard` keeps each
    parameter, as a DTensor: state dicts need no communication, parts may be frozen or of another type, it composes with
    tensor parallelism and `torch.compile`, and its memory is the same in each run. New work goes there.

    ## Example
    ```python
    import torch
    from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
    from torch.distributed.fsdp.wrap import ModuleWrapPolicy

    from network import Block


    def build(model, local_rank):
        model = FSDP(model, auto_wrap_policy=ModuleWrapPolicy({Block}), device_id=local_rank)
        return model, torch.optim.AdamW(model.parameters(), lr=1e-4)
    ```

    ## Use instead
    ```python
    import torch
    from torch.distributed.fsdp import fully_shard

    from network import Block


    def build(model, local_rank):
        for module in model.modules():
            if isinstance(module, Block):
                fully_shard(module)
        fully_shard(model)
        return model, torch.optim.AdamW(model.parameters(), lr=1e-4)
    ```

    `FULL_SHARD` becomes `reshard_after_forward=True`, `SHARD_GRAD_OP` becomes `False`, `HYBRID_SHARD` a mesh of two
    dimensions, `MixedPrecision` a `MixedPrecisionPolicy`, and the model's `clip_grad_norm_` that of `torch.nn.utils`.
    Checkpoints have other names and are read with `torch.distributed.checkpoint.state_dict`.

    ## Stays silent
    Where the project's oldest PyTorch is older than 2.6; in files that know `fully_shard` too, or choose by a version.
    A project that names no versions is taken to run a new one, with less confidence. Quietly, below the
    default confidence, in tests and benchmarks.

    ## Confirmed by
    Modules of type `FullyShardedDataParallel` in `print(model)`.

    ## Gain
    7% less peak memory for a Llama of 7 billion parameters on 8 H100 at the same loss, as TorchTitan's page measured;
    and what flattening forbids. It costs a new way to save checkpoints.

    ## References
    - `fully_shard`, and how to come from FSDP1:
      https://docs.pytorch.org/docs/stable/distributed.fsdp.fully_shard.html
    - TorchTitan on FSDP2: https://github.com/pytorch/torchtitan/blob/main/docs/fsdp.md
    """

    code = "TRN514"
    name = "fsdp1-api"
    severity = Severity.ADVICE
    preview = True
    heat_matters = False
    triggers = Triggers(references=SHARDING_ROOTS)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find wraps by the old class in files that do not know the new way."""
        place = call_of(site.file, site.node)
        found = wrap(site.file, place) if place is not None else None
        if found is None or found.wrapper is not Wrapper.FSDP1 or depends_on_version(site.block):
            return
        confidence = _confidence(site.file)
        if confidence and not site.file.says(_BOTH):
            yield self.finding(
                site,
                "`fully_shard` succeeds this wrapper: it keeps each parameter as it is and needs less memory",
                at=found.call,
                confidence=confidence,
            )


def _confidence(file: SemanticModel) -> float:
    """How surely every targeted version has the successor; 0 where one lacks it."""
    target = file.config.target_torch
    if is_test_path(file.source.path):
        return _IN_TESTS
    if target is not None and target.lacks(_SUCCESSOR):
        return 0.0
    return 0.9 if target is not None and target.has(_SUCCESSOR) else 0.7
