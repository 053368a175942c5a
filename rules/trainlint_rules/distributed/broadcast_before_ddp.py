"""TRN531."""

from __future__ import annotations

from collections.abc import Iterable

from trainlint.analysis.site import Site
from trainlint.analysis.tables.collectives import BROADCAST
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Edit, Safety, Severity
from trainlint_rules.distributed.idioms.collectives.broadcast_loops import (
    does_more,
    ignores_parameters,
    resent,
    sends_otherwise,
    used_between,
    wrap_sends_less,
)


class BroadcastBeforeDdp(CallRule):
    """Parameters broadcast one by one right before DistributedDataParallel broadcasts them itself

    ## Why
    DistributedDataParallel sends parameters and buffers of rank 0 to all others when it is built, in buckets of
    250 MB. A loop that does the same before it sends everything a second time, one parameter a message: some hundred
    collectives, each with its own start, where a handful would do.

    ## Example
    ```python
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel


    def replicate(model, local_rank):
        model = model.to(local_rank)
        for parameter in model.parameters():
            dist.broadcast(parameter.data, src=0)
        return DistributedDataParallel(model, device_ids=[local_rank])
    ```

    ## Use instead
    ```python
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel


    def replicate(model, local_rank):
        model = model.to(local_rank)
        return DistributedDataParallel(model, device_ids=[local_rank])
    ```

    ## Fix safety
    DistributedDataParallel sends nothing with `init_sync=False`, and leaves out what
    `_ddp_params_and_buffers_to_ignore` names, which a module may set itself, out of sight.

    ## Confirmed by
    As many `c10d::broadcast_` as the model has parameters, followed by those of DistributedDataParallel.

    ## Gain
    The time of the loop, once a run: not measured here. It is small beside a training; for tests and short jobs with
    many parameters it is not.

    ## References
    - Internal design of DistributedDataParallel: https://docs.pytorch.org/docs/stable/notes/ddp.html
    """

    code = "TRN531"
    name = "broadcast-before-ddp"
    editor_tag = "unnecessary"
    severity = Severity.ADVICE
    preview = True
    on = (BROADCAST.name,)
    in_tests = True
    unless = (ignores_parameters, sends_otherwise, does_more, used_between, wrap_sends_less)
    message = "DDP (line {line}) sends all of `{model}` from rank 0 again, after this loop has sent every parameter"
    help = "remove the loop"
    fix_title = "Leave it to DistributedDataParallel"
    fix_safety = Safety.UNSAFE
    fix_drops = frozenset({"parameters", BROADCAST.name})

    def found(self, site: Site) -> Match | None:
        """A loop that sends what the wrap behind it, in the same block, sends again."""
        found = resent(site)
        if found is None:
            return None
        fields = {"line": found.wrap.call.lineno, "model": found.model, "loop": found.node}
        return Match(site.at(found.node, found.loop.block.parent), fields=fields)

    def edits(self, site: Site, match: Match) -> Iterable[Edit]:
        """No loop."""
        from trainlint.fixing.rewrite import remove_statement

        return remove_statement(site.source, match["loop"])
