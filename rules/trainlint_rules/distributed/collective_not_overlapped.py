"""TRN506."""

from __future__ import annotations

from trainlint.analysis.effects.collectives import collective_of
from trainlint.analysis.site import Site
from trainlint.analysis.tables.collectives import OVERLAPPING
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import EACH_STEP, Match
from trainlint.finding import Confidence, Severity
from trainlint.symptoms import Symptom
from trainlint_rules.distributed.idioms.collectives.guards import asynchronous
from trainlint_rules.distributed.idioms.collectives.overlap import work_beside


class CollectiveNotOverlapped(CallRule):
    """A collective in each step that work which does not need its result could run beside

    ## Why
    A plain collective holds up the current stream: what follows starts when all ranks have sent and received. A forward
    or backward that does not need the result could run meanwhile. With `async_op=True` the collective runs on a stream
    of its own, and `wait()`, right before the result is needed, lets the current stream wait for it.

    ## Example
    ```python
    import torch.distributed as dist


    def train(model, critic, optimizer, loader):
        for batch in loader:
            statistics = batch.mean(dim=0)
            dist.all_reduce(statistics)
            output = model(batch)
            loss = critic(output, statistics)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch.distributed as dist


    def train(model, critic, optimizer, loader):
        for batch in loader:
            statistics = batch.mean(dim=0)
            work = dist.all_reduce(statistics, async_op=True)
            output = model(batch)
            work.wait()
            loss = critic(output, statistics)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Confirmed by
    `trainlint probe` times the collective at this line where the host waits for it, as with gloo: what work beside
    it could hide at most. Else a gap in the compute stream of a profile, as long as the collective.

    ## Gain
    At most the time of the collective in each step: little for a few numbers, much for large tensors between machines.
    Not measured here. Nothing with one process.

    ## References
    - Synchronous and asynchronous collectives:
      https://docs.pytorch.org/docs/stable/distributed.html#synchronous-and-asynchronous-collective-operations
    """

    code = "TRN506"
    name = "collective-not-overlapped"
    severity = Severity.ADVICE
    preview = True
    confirmed_by = frozenset({Symptom.COLLECTIVE})
    confirmed_in_part = True
    on = OVERLAPPING
    when = EACH_STEP
    sure = Confidence.LIKELY
    unless = (asynchronous,)
    message = "`{name}` delays the model at line {line}{often}, and the model does not need its result"
    help = "pass `async_op=True`, and call `wait()` on the returned handle right before you need the result"

    def found(self, site: Site) -> Match | None:
        """A collective that is followed by a model which does not use the result."""
        sent = collective_of(site.file, site.statement, site.block)
        if sent is None or sent.call is not site.call:
            return None
        beside = work_beside(site, sent)
        return Match(site, fields={"name": sent.name, "line": beside.lineno}) if beside is not None else None
