"""TRN503."""

from __future__ import annotations

from trainlint.analysis.effects.effect import EffectKind
from trainlint.analysis.site import Site
from trainlint.analysis.tables.collectives import REDUCTIONS
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import EACH_STEP, Match
from trainlint.finding import Confidence
from trainlint.rule import Triggers
from trainlint.symptoms import Symptom
from trainlint_rules.distributed.idioms.collectives.guards import asynchronous
from trainlint_rules.distributed.idioms.collectives.helper_reductions import reduced_by_helper
from trainlint_rules.distributed.idioms.collectives.number_reductions import (
    in_loop_over_numbers,
    number_reduction,
    reduced_just_before,
)

_IN_LOOP = "`{name}` runs once for each number of a collection{often}, each time at the full cost of a collective"
_HELP_IN_LOOP = "stack the numbers into one tensor and reduce it once"

_BY_HELPER = "`{name}` reduces one number, as in line {line}{often}, each time at the full cost of a collective"


class ScalarCollectivesOneByOne(CallRule):
    """Several numbers that are reduced in each step, one collective for each

    ## Why
    A reduction of one number costs what a reduction of a thousand does: a launch on every rank, and the wait for the
    slowest of them. Two in a row cost twice that. Stacked into one tensor they travel together, if both are reduced
    by the same operation and in the same group. The same holds for a helper that reduces what it is given, and is
    called for one number after the other.

    ## Example
    ```python
    import torch.distributed as dist


    def train(model, optimizer, loader):
        for batch in loader:
            loss, num_tokens = model(batch)
            optimizer.zero_grad()
            loss.backward()
            running_loss = loss.detach()
            dist.all_reduce(num_tokens)
            dist.all_reduce(running_loss)
            scale_gradients(model, num_tokens)
            optimizer.step()
            record(running_loss / num_tokens)
    ```

    ## Use instead
    ```python
    import torch
    import torch.distributed as dist


    def train(model, optimizer, loader):
        for batch in loader:
            loss, num_tokens = model(batch)
            optimizer.zero_grad()
            loss.backward()
            totals = torch.stack([num_tokens.float(), loss.detach()])
            dist.all_reduce(totals)
            num_tokens, running_loss = totals.unbind()
            scale_gradients(model, num_tokens)
            optimizer.step()
            record(running_loss / num_tokens)
    ```

    Values of different types must be brought to one: float32 counts exactly up to 16 million, float64 to 9 quadrillion.

    ## Confirmed by
    `trainlint probe` times the collective at this line where the host waits for it, as with gloo. What the rank
    that comes last spends there is surely gained, the wait of the others at most. Else several `c10d::allreduce_`
    of a few bytes one after the other in each step of a profile.

    ## Gain
    One round of latency for each reduction saved: tens of microseconds on one machine, more across machines, and each
    waits for the slowest rank. Ten numbers took 1.75 ms stacked and 2.1 ms one by one (gloo, one machine). Nothing
    with one process.

    ## References
    - Collective functions: https://docs.pytorch.org/docs/stable/distributed.html#collective-functions
    """

    code = "TRN503"
    name = "scalar-collectives-one-by-one"
    preview = True
    confirmed_by = frozenset({Symptom.COLLECTIVE})
    on = REDUCTIONS
    also = Triggers(effects=frozenset({EffectKind.REDUCES.value}))
    when = EACH_STEP
    sure = Confidence.LIKELY
    unless = (asynchronous,)
    message = "`{name}` sends one number right after line {line} sent another, at the full cost of a collective{often}"
    help = "stack both into one tensor and reduce it once"

    def found(self, site: Site) -> Match | None:
        """The second of two like reductions of numbers, or a reduction in a loop over numbers."""
        by_helper = reduced_by_helper(site)
        if by_helper is not None:
            fields = {"name": by_helper.title, "line": by_helper.earlier.lineno}
            return Match(site, fields=fields, message=_BY_HELPER, related=by_helper.related)
        reduced = number_reduction(site, site.statement)
        if reduced is None or reduced.call is not site.call:
            return None
        before = reduced_just_before(site, reduced)
        if before is not None:
            return Match(site, fields={"name": reduced.name, "line": before.call.lineno})
        if in_loop_over_numbers(site, reduced):
            return Match(site, fields={"name": reduced.name}, message=_IN_LOOP, help=_HELP_IN_LOOP)
        return None
