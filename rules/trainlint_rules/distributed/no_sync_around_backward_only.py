"""TRN523."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.programs.fact_names import ACCELERATOR
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name, nodes_in, position
from trainlint.analysis.tables.clipping import clips_gradients
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.analysis.tables.host_reads import ITEM, SYNCHRONIZE
from trainlint.analysis.tables.iterables import counts_rounds
from trainlint.finding import Finding, Severity
from trainlint.rule import Rule, Triggers
from trainlint_rules.distributed.idioms.data_parallel import ddp_call

_AROUND_BACKWARD = frozenset({ITEM.name, SYNCHRONIZE.name}) | frozenset(
    "backward scale scale_loss detach print update append add sum mean step zero_grad float div len "
    "time perf_counter write record".split()
)
"""Calls that may stand beside a backward and run no model, besides those that count or clip."""


class NoSyncAroundBackwardOnly(Rule):
    """`no_sync()` around the backward alone: DDP has decided in the forward that it reduces

    ## Why
    DistributedDataParallel prepares the reduction of gradients in its forward. `no_sync()` is a switch that the
    forward reads: around the backward alone it changes nothing, and all gradients go over the network for each batch
    of an accumulation. Hugging Face measured 2.13 s a batch with `no_sync` misplaced, 2.0 s without it and 0.91 s
    where it was right, on two machines.

    ## Example
    ```python
    from torch.nn.parallel import DistributedDataParallel


    def train(network, criterion, optimizer, batches, device, accumulate):
        model = DistributedDataParallel(network, device_ids=[device])
        for index in range(accumulate):
            inputs, targets = next(batches)
            loss = criterion(model(inputs), targets) / accumulate
            if index < accumulate - 1:
                with model.no_sync():
                    loss.backward()
            else:
                loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    ```

    ## Use instead
    ```python
    from contextlib import nullcontext

    from torch.nn.parallel import DistributedDataParallel


    def train(network, criterion, optimizer, batches, device, accumulate):
        model = DistributedDataParallel(network, device_ids=[device])
        for index in range(accumulate):
            inputs, targets = next(batches)
            with model.no_sync() if index < accumulate - 1 else nullcontext():
                loss = criterion(model(inputs), targets) / accumulate
                loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    ```

    ## Stays silent
    Where anything in the `with` block may run the model; for FSDP, which reads the switch in the backward; for objects
    of which nothing says that they are wrapped in DDP, such as engines with a `no_sync` of their own.

    ## Confirmed by
    As many all-reduces of each gradient bucket between two steps of the optimizer as there are backward passes.

    ## Gain
    That of `no_sync` itself: 2.13 → 0.91 s a batch on two machines (Accelerate's guide below). Nothing with one
    process.

    ## References
    - `DistributedDataParallel.no_sync`, whose warning says that the forward belongs inside:
      https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html
    - Gradient synchronization, with the measurements:
      https://huggingface.co/docs/accelerate/concept_guides/gradient_synchronization
    """

    code = "TRN523"
    name = "no-sync-around-backward-only"
    severity = Severity.WARNING
    heat_matters = False
    triggers = Triggers(calls=frozenset({"no_sync"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find `with` blocks of `no_sync` in which a backward runs and nothing that could be the forward."""
        func = site.call.func
        body = _body(site)
        if body is None or not isinstance(func, ast.Attribute) or not _is_of_ddp(site, func.value):
            return
        parts = (part for statement in body for part in nodes_in(statement))
        called = {last_name(part.func) for part in parts if isinstance(part, ast.Call)}
        if "backward" not in called or not all(map(_runs_no_model, called)):
            return
        yield self.finding(
            site,
            "`no_sync()` around the backward alone has no effect: DDP decided in the forward that this backward "
            "reduces gradients; put the forward inside, too",
            confidence=0.9,
        )


def _body(site: Site) -> list[ast.stmt] | None:
    """The statements that run under the call's context: of its own `with`, or of the one that is given its name."""
    statement = site.statement
    if isinstance(statement, ast.With):
        return statement.body if any(site.call in nodes_in(item.context_expr) for item in statement.items) else None
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
        return None
    name = statement.targets[0].id
    found = [
        other
        for other in site.file.outline.block_of
        if isinstance(other, ast.With)
        and position(other) > position(statement)
        and any(isinstance(item.context_expr, ast.Name) and item.context_expr.id == name for item in other.items)
        and site.file.outline.block_of[other].scope is site.block.scope
    ]
    return found[0].body if len(found) == 1 else None


def _is_of_ddp(site: Site, owner: ast.expr) -> bool:
    """Whether a `no_sync` is that of a model in DDP, or of an accelerator that shards nothing."""
    if ddp_call(site.file, owner, site.block) is not None:
        return True
    kinds = {item.fact.kind for item in site.file.used_around(site.block, beside=True)}
    return FactKind.FSDP not in kinds and (FactKind.DDP in kinds or bool(ACCELERATOR.search(last_name(owner))))


def _runs_no_model(name: str) -> bool:
    return name in _AROUND_BACKWARD or counts_rounds(name) or clips_gradients(name)
