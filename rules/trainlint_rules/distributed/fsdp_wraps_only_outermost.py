"""TRN513."""

from __future__ import annotations

import ast

from trainlint.analysis.programs.wraps import SHARDING_ROOTS, wrap
from trainlint.analysis.site import Site
from trainlint.analysis.tables.parallel import Wrapper
from trainlint.contract.declared_rule import Match
from trainlint.finding import Confidence
from trainlint_rules.distributed.idioms.wrapping.called_names import CalledNameRule
from trainlint_rules.distributed.idioms.wrapping.fsdp_units import (
    has_policy,
    is_given_to_function,
    options_from_elsewhere,
    part_of_model,
    shards_nothing,
    wraps_more,
)


class FsdpWrapsOnlyOutermost(CalledNameRule):
    """FSDP around a whole model as one unit, which is gathered whole for each forward

    ## Why
    FSDP gathers the parameters of one unit at a time: before a unit runs, all its weights are put together on each
    device, and let go afterwards. A model that is one unit is gathered whole, with whole gradients in the backward:
    the memory for which it was sharded is needed all the same, in one moment. And nothing can be gathered ahead while
    another unit computes, so each step waits for the network with idle devices. Wrap the repeated layers, too.

    ## Example
    ```python
    import torch
    from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


    def build(make_model, local_rank):
        model = FSDP(make_model(), device_id=local_rank)
        return model, torch.optim.AdamW(model.parameters(), lr=1e-4)
    ```

    ## Use instead
    ```python
    import torch
    from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
    from torch.distributed.fsdp.wrap import ModuleWrapPolicy

    from network import TransformerBlock


    def build(make_model, local_rank):
        model = FSDP(make_model(), auto_wrap_policy=ModuleWrapPolicy({TransformerBlock}), device_id=local_rank)
        return model, torch.optim.AdamW(model.parameters(), lr=1e-4)
    ```

    With `fully_shard`, call it for each layer first and for the model last. A function that is handed the model is
    reported as a possible defect only, which is hidden by default: its caller may have wrapped parts of the model.

    ## Confirmed by
    One all-gather in each forward, of all parameters, before the first kernel of the model; a single module in
    `FSDP.fsdp_modules(model)`.

    ## Gain
    Peak memory and overlap, more of both the larger the model. In PyTorch's tutorial, a toy model for MNIST on 4 GPUs
    peaks at about 75 MB a GPU as one unit and at 66 MB with a policy. Nothing is gained for a model so small that
    gathering all of it takes no time.

    ## References
    - `fully_shard`, which says not to call it only on the root:
      https://docs.pytorch.org/docs/stable/distributed.fsdp.fully_shard.html
    - The review of PyTorch's FSDP tutorial, with these figures: https://github.com/pytorch/tutorials/pull/1861
    """

    code = "TRN513"
    name = "fsdp-wraps-only-outermost"
    on = SHARDING_ROOTS
    sure = Confidence.LIKELY
    unless = (options_from_elsewhere, has_policy, shards_nothing, part_of_model, wraps_more)
    message = "FSDP gathers this whole model at once before anything computes, since no part of it is wrapped by itself"
    help = "pass an `auto_wrap_policy`"

    def found(self, site: Site) -> Match | None:
        """FSDP around a single module."""
        sharding = wrap(site.file, site.place)
        if sharding is None or isinstance(sharding.module, ast.List | ast.Tuple):
            return None
        # A caller that hands the model over may have wrapped parts of it.
        sure = Confidence.POSSIBLE if is_given_to_function(sharding) else Confidence.CERTAIN
        by_layers = "call `fully_shard` for each layer first" if sharding.wrapper is Wrapper.FSDP2 else None
        return Match(site, sure, help=by_layers)
