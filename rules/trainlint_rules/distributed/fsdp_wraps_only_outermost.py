"""TRN513."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.programs.wraps import SHARDING_ROOTS, wrap, wraps
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import BlockKind, How
from trainlint.analysis.syntax.names import argument, constant, has_unpacked_arguments, names_in
from trainlint.analysis.syntax.uses import call_of
from trainlint.analysis.tables.parallel import Wrapper
from trainlint.contract.bases import ReferenceRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guard import Guard, guard
from trainlint.finding import Confidence
from trainlint.patterns import lazy

_WRAPS_INNER = lazy(r"(^|_)(auto_?)?wrap(?!.*checkpoint)|^(?!.*(plan|state_dict)).*shard|^apply_fsdp|parallelize$")
"""What else may wrap parts of the model: `auto_wrap`, `apply_fsdp`, `shard_model`."""


@guard
def options_from_elsewhere(site: Site) -> bool:
    """`*args` or `**kwargs` may hold a policy."""
    own = wrap(site.file, site.place)
    return has_unpacked_arguments(site.call) and own is not None and own.wrapper is Wrapper.FSDP1


@guard
def has_policy(site: Site) -> bool:
    """An `auto_wrap_policy` is given, or `ShardingStrategy.NO_SHARD`."""
    policy, strategy = argument(site.call, "auto_wrap_policy", 4), argument(site.call, "sharding_strategy", 2)
    return (policy is not None and constant(policy) is not None) or (
        strategy is not None and "NO_SHARD" in names_in(strategy)
    )


@guard
def wraps_more(site: Site) -> bool:
    """The file wraps something else, a loop wraps each part, or a function is called that may do so."""
    own = wrap(site.file, site.place)
    # A wrap of a model of the same name stands on another path.
    others = [item for item in wraps(site.file) if own is not None and ast.dump(item.module) != ast.dump(own.module)]
    in_loop = any(block.kind is BlockKind.LOOP for block in site.block.outwards())
    named = (name for name in site.file.outline.calls if name != site.text(site.call.func).rpartition(".")[2])
    return any(item.wrapper is not Wrapper.DDP for item in others) or in_loop or any(map(_WRAPS_INNER.search, named))


class FsdpWrapsOnlyOutermost(ReferenceRule):
    """FSDP around a whole model as one unit, which is gathered whole for each forward

    ## Why
    FSDP gathers the parameters of one unit at a time: before a unit runs, all its weights are put together on each
    GPU, and let go afterwards. A model that is one unit is gathered whole, with whole gradients in the backward:
    the memory for which it was sharded is needed all the same, in one moment. And nothing can be gathered ahead while
    another unit computes, so each step waits for the network with idle GPUs. Wrap the repeated layers, too.

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
    unless = (options_from_elsewhere, has_policy, wraps_more)
    message = "FSDP gathers this whole model at once before anything computes, since no part of it is wrapped by itself"
    help = "pass an `auto_wrap_policy`"

    def answers(self, site: Site) -> Iterator[Match | Guard]:
        """About the call of what is imported, by whatever name the file calls it."""
        place = call_of(site.file, site.node)
        if place is not None:
            yield from super().answers(Site(site.file, place))

    def found(self, site: Site) -> Match | None:
        """FSDP around a single module that is no part of another one."""
        sharding = wrap(site.file, site.place)
        if sharding is None or isinstance(sharding.module, ast.List | ast.Tuple | ast.Subscript):
            return None
        if isinstance(sharding.module, ast.Call) and (site.origin(sharding.module.func) or "").startswith("torch.nn."):
            return None  # one plain layer
        by_layers = "call `fully_shard` for each layer first" if sharding.wrapper is Wrapper.FSDP2 else None
        # A caller that hands the model over may have wrapped parts of it.
        bound = site.file.outline.bindings(sharding.module, site.block)
        given = any(item.how is How.PARAMETER for item in bound) and isinstance(sharding.module, ast.Name)
        return Match(site, Confidence.POSSIBLE if given else Confidence.CERTAIN, help=by_layers)
