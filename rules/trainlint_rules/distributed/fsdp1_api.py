"""TRN514."""

from __future__ import annotations

from trainlint.analysis.programs.wraps import SHARDING_ROOTS, wrap
from trainlint.analysis.site import Site
from trainlint.analysis.tables.parallel import Wrapper
from trainlint.analysis.tables.signs import FSDP2
from trainlint.contract.confidence import doubted
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.conditions import decided_by_version
from trainlint.contract.guards.files import supports_older_than
from trainlint.contract.guards.names import shows
from trainlint.finding import Severity
from trainlint_rules.distributed.idioms.wrapping.called_names import CalledNameRule

_SUCCESSOR = (2, 6)
"""The first version whose `torch.distributed.fsdp` offers `fully_shard`."""


class Fsdp1Api(CalledNameRule):
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
    Checkpoints have other names and are read with `torch.distributed.checkpoint.state_dict`. A project that names no
    versions is taken to run a new one, with less confidence.

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
    editor_tag = "deprecated"
    severity = Severity.ADVICE
    preview = True
    on = SHARDING_ROOTS
    unless = (
        supports_older_than(_SUCCESSOR),
        decided_by_version,
        shows("the file also uses `fully_shard` and keeps the old way", FSDP2),
    )
    message = "`FullyShardedDataParallel` flattens the parameters and needs more memory than its successor"
    help = "use `fully_shard`, which keeps each parameter as it is"

    def found(self, site: Site) -> Match | None:
        """A wrap by the old class, less sure where nobody says how old PyTorch is."""
        sharding = wrap(site.file, site.place)
        if sharding is None or sharding.wrapper is not Wrapper.FSDP1:
            return None
        return Match(site, doubted(not site.has(_SUCCESSOR)))
