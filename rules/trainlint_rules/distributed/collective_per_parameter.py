"""TRN504."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.analysis.effects.collectives import collective
from trainlint.analysis.effects.parameter_loops import parameter_loop
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, BlockKind
from trainlint.analysis.syntax.names import has_name_in, last_name, nodes_in
from trainlint.analysis.tables.collectives import REDUCTIONS
from trainlint.finding import Finding, Heat, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom

_COALESCING = frozenset({"_coalescing_manager", "coalescing_manager", "_CoalescingManager"})
_WARM_UP = lazy(r"warm_?up", re.IGNORECASE)
_SELDOM = (Heat.ONCE, Heat.RARE, Heat.EVAL_STEP, Heat.WORKER)


class CollectivePerParameter(Rule):
    """One reduction for each parameter, one after the other

    ## Why
    A model has hundreds of parameters, most of them small. A reduction of a small tensor is all latency: a launch on
    every rank and a round through the network. One after the other, they neither fill the network nor overlap with the
    backward. DistributedDataParallel packs gradients into buckets of 25 MiB and reduces them while the backward still
    runs. Flattened into one, 50 reductions took 1.2 ms instead of 44 ms (gloo, one machine).

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

    ## Stays silent
    For reductions that hand back work to wait for later; for flattened buckets; in a coalescing manager; in set-up and
    warm-up; for broadcasts of weights.

    ## Confirmed by
    `trainlint probe` times the collective at this line where the host waits for it, as with gloo. What the rank
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
    severity = Severity.WARNING
    heat_matters = False
    confirmed_by = frozenset({Symptom.COLLECTIVE})
    triggers = Triggers(calls=REDUCTIONS)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find blocking reductions of a parameter or its gradient in a loop over parameters."""
        found = collective(site.file, site.call, site.block)
        if found is None or found.tensor is None or found.returns_handle or is_test_path(site.path):
            return
        loop = parameter_loop(site.file.outline, site.block)
        if loop is None or not has_name_in(found.tensor, loop.names):
            return
        heat = site.heat.heat
        if heat in _SELDOM or not (heat.in_step or _is_of_gradient(found.tensor)):
            return
        if _is_coalesced(site.block) or _warms_up(loop.block):
            return
        yield self.finding(
            site,
            f"one `{found.name}` for each of `{ast.unparse(loop.iterated)[:60]}`, all latency; wrap the model in "
            "DistributedDataParallel, or reduce all of them as one flat tensor",
            confidence=0.9,
        )


def _is_of_gradient(tensor: ast.expr) -> bool:
    return any(isinstance(part, ast.Attribute) and part.attr == "grad" for part in nodes_in(tensor))


def _is_coalesced(block: Block) -> bool:
    """Whether the calls are collected and sent together."""
    return any(
        last_name(item.context_expr) in _COALESCING
        for outer in block.outwards()
        if outer.kind is BlockKind.WITH and isinstance(outer.node, ast.With)
        for item in outer.node.items
    )


def _warms_up(loop: Block) -> bool:
    """Whether a loop around runs a few steps only to warm up."""
    return any(
        isinstance(outer.node, ast.For) and bool(_WARM_UP.search(ast.unparse(outer.node.iter)))
        for outer in loop.outwards()
        if outer.kind is BlockKind.LOOP
    )
