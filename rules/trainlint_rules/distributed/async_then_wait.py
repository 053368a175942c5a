"""TRN528."""

from __future__ import annotations

from trainlint.analysis.effects.collectives import collective
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant
from trainlint.analysis.tables.collectives import COLLECTIVES
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Confidence, Severity
from trainlint_rules.distributed.idioms.collectives.collective_results import has_plain_twin, waits_at_once


class AsyncThenWait(CallRule):
    """An asynchronous collective that is waited for at once, so that nothing overlaps with it

    ## Why
    `async_op=True` lets a collective run beside the computation that follows, until `wait()`. Where `wait()` follows at
    once, there is no such computation: the call does what the plain one does, on a stream of its own and with more to
    keep track of. Either there is work that could stand in between, or `async_op` can go. Handles that are kept,
    returned or used otherwise are fine, and so is an `async_op` that a variable decides on.

    ## Example
    ```python
    import torch.distributed as dist


    def average(gradient):
        work = dist.all_reduce(gradient, async_op=True)
        work.wait()
        return gradient / dist.get_world_size()
    ```

    ## Use instead
    ```python
    import torch.distributed as dist


    def average(gradient):
        dist.all_reduce(gradient)
        return gradient / dist.get_world_size()
    ```

    ## Confirmed by
    No kernel beside the collective's in a profile.

    ## Gain
    By itself next to nothing: plainer code. Work moved between the two hides up to the whole collective; not measured
    here. Since PyTorch 2.8 a plain collective runs on the current stream, without the waits between two streams.

    ## References
    - Synchronous and asynchronous collectives:
      https://docs.pytorch.org/docs/stable/distributed.html#synchronous-and-asynchronous-collective-operations
    - Plain collectives on the current stream: https://github.com/pytorch/pytorch/pull/150398
    """

    code = "TRN528"
    name = "async-then-wait"
    severity = Severity.ADVICE
    preview = True
    on = COLLECTIVES
    sure = Confidence.LIKELY
    unless = (has_plain_twin,)
    message = "`{collective}` starts asynchronously, but the next line waits for it: nothing overlaps"
    help = "put other work before `wait()`, or leave `async_op` out"

    def found(self, site: Site) -> Match | None:
        """A collective with `async_op=True` whose `wait()` follows at once."""
        is_async = constant(argument(site.call, "async_op")) is True
        found = collective(site.file, site.call, site.block) if is_async and waits_at_once(site) else None
        return Match(site, fields={"collective": found.name}) if found is not None else None
