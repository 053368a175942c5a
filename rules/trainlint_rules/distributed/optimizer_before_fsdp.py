"""TRN512."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.analysis.programs.wraps import SHARDING_ROOTS, wrap
from trainlint.analysis.site import Site
from trainlint.analysis.tables.parallel import name_of
from trainlint.contract.declared_rule import Match
from trainlint.finding import Severity
from trainlint_rules.distributed.idioms.wrapping.called_names import CalledNameRule
from trainlint_rules.distributed.idioms.wrapping.stale_optimizers import (
    built_again,
    keeps_parameters,
    prepared_after,
    stale_builds,
    wrapped_name,
    writes_param_groups,
)


class OptimizerBeforeFsdp(CalledNameRule):
    """An optimizer built from parameters that FSDP replaces afterwards, so that its steps change nothing

    ## Why
    FSDP replaces the parameters of a model: `FullyShardedDataParallel` by flattened pieces, `fully_shard` by DTensors.
    An optimizer that was built before still holds the old ones, which get no gradients and which no forward reads.
    Nothing fails: the loss is computed, gradients flow, `step()` returns, and the model stays as it was initialised.
    DistributedDataParallel keeps the parameters, so there the order does not matter.

    ## Example
    ```python
    import torch
    from torch.distributed.fsdp import fully_shard


    def train(model, criterion, loader):
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
        for layer in model.layers:
            fully_shard(layer)
        fully_shard(model)
        for inputs, targets in loader:
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch
    from torch.distributed.fsdp import fully_shard


    def train(model, criterion, loader):
        for layer in model.layers:
            fully_shard(layer)
        fully_shard(model)
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
        for inputs, targets in loader:
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Confirmed by
    No parameter of the model changes in a step, and the parameters in `optimizer.param_groups` are other objects than
    those of `model.parameters()`.

    ## Gain
    A model that trains. In a run of one linear layer on the CPU with PyTorch 2.13, one step of SGD changed the weights
    by 0.0 where the optimizer was built first, and by 0.2 where it was built after the wrap, with both APIs.

    ## References
    - `FullyShardedDataParallel`, which warns that the optimizer must be initialised after the wrap:
      https://docs.pytorch.org/docs/stable/fsdp.html
    - `fully_shard`: https://docs.pytorch.org/docs/stable/distributed.fsdp.fully_shard.html
    """

    code = "TRN512"
    name = "optimizer-before-fsdp"
    severity = Severity.ERROR
    preview = True
    in_tests = True
    on = SHARDING_ROOTS
    unless = (keeps_parameters, writes_param_groups, built_again, prepared_after)
    message = (
        "this optimizer holds the parameters of `{model}` from before `{wrapper}` replaces them in line {line}: its "
        "steps do not change the model"
    )
    help = "build the optimizer after the wrap"

    def found(self, site: Site) -> Iterator[Match]:
        """Optimizers that the same function has built before from the parameters of the model that is wrapped."""
        sharding = wrap(site.file, site.place)
        if sharding is None:
            return
        wrapper = name_of(sharding.wrapper)
        fields = {"model": wrapped_name(sharding), "wrapper": wrapper, "line": sharding.call.lineno}
        for build in stale_builds(site.file, sharding):
            yield Match(site.at(build.place.node, build.place.block), fields=fields)
