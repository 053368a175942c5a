"""TRN504."""

from __future__ import annotations

import ast

from trainlint.analysis.effects.collectives import collective
from trainlint.analysis.effects.parameter_loops import parameter_loop
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant, has_name_in
from trainlint.analysis.tables.collectives import REDUCTIONS
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import EACH_STEP, Match
from trainlint.finding import Confidence, Heat
from trainlint.symptoms import Symptom


class CollectivePerParameter(CallRule):
    """One reduction for each parameter, one after the other

    ## Why
    A model has hundreds of parameters, most of them small. A reduction of a small tensor is all latency: a launch on
    every rank and a round through the network. One after the other, they neither fill the network nor overlap with the
    backward. DistributedDataParallel packs gradients into buckets of 25 MiB and reduces them while the backward still
    runs. Flattened into one, 50 reductions took 1.2 ms instead of 44 ms (gloo, one machine). Broadcasts of weights are
    left alone, since they mostly run once.

    ## Example
    ```python
    import torch
    import torch.distributed as dist


    def train(model, criterion, optimizer, loader):
        world_size = dist.get_world_size()
        for inputs, targets in loader:
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            for parameter in model.parameters():
                dist.all_reduce(parameter.grad)
            torch._foreach_div_([parameter.grad for parameter in model.parameters()], world_size)
            optimizer.step()
    ```

    ## Use instead
    ```python
    from torch.nn.parallel import DistributedDataParallel


    def train(network, criterion, optimizer, loader, local_rank):
        model = DistributedDataParallel(network, device_ids=[local_rank])
        for inputs, targets in loader:
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    Without the wrapper: `torch.cat` the flattened gradients, reduce that once, and copy the pieces of `flat.split(...)`
    back.

    ## Confirmed by
    `trainlint probe` times the collective at this line where the CPU waits for it, as with gloo. What the rank
    that comes last spends there is surely gained, the wait of the others at most. Else as many `c10d::allreduce_`
    in a step of a profile as the model has parameters, most of them of a few KiB.

    ## Gain
    44 → 1.2 ms for 50 small tensors, measured with gloo on one machine. Little where a model has few and large
    parameters; nothing with one process.

    ## References
    - Internal design of DistributedDataParallel: https://docs.pytorch.org/docs/stable/notes/ddp.html#internal-design
    """

    code = "TRN504"
    name = "collective-per-parameter"
    confirmed_by = frozenset({Symptom.COLLECTIVE})
    on = REDUCTIONS
    when = EACH_STEP | {Heat.EPOCH: Confidence.CERTAIN, Heat.UNKNOWN: Confidence.CERTAIN}
    message = "`{name}` runs once for each of `{parameters}`{often}, and each call is all latency"
    help = "wrap the model in DistributedDataParallel, or reduce all of them as one flat tensor"

    def found(self, site: Site) -> Match | None:
        """A reduction of a parameter in a loop over parameters; of its gradient, where it may not run in each step."""
        reduced = collective(site.file, site.call, site.block)
        loop = parameter_loop(site.file.outline, site.block)
        if reduced is None or reduced.tensor is None or loop is None or not has_name_in(reduced.tensor, loop.names):
            return None
        if constant(argument(site.call, "async_op")) is True:
            return None  # they run side by side
        if not site.heat.heat.in_step and ".grad" not in ast.unparse(reduced.tensor):
            return None
        return Match(site, fields={"name": reduced.name, "parameters": site.text(loop.iterated)})
