"""TRN524."""

from __future__ import annotations

from trainlint.analysis.conditions.questions import is_on_some_ranks
from trainlint.analysis.effects.collectives import collective_of
from trainlint.analysis.site import Site
from trainlint.analysis.tables.collectives import ALL_REDUCE, IN_PLACE
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guard import guard
from trainlint.finding import Confidence, Severity
from trainlint_rules.distributed.idioms.collectives.collective_results import made_by_function, original, temporary


@guard
def _only_sent(site: Site) -> bool:
    """Only some ranks run it, such as the sending rank of a `broadcast`."""
    found = collective_of(site.file, site.statement, site.block)
    return found is not None and found.name != ALL_REDUCE.name and is_on_some_ranks(site.conditions)


class CollectiveOnTemporary(CallRule):
    """A reduction in place into a temporary tensor, whose result is lost

    ## Why
    `all_reduce`, `reduce` and `broadcast` write their result into the tensor that they are given and return nothing.
    Given `x.float()` or `x / n` they write into a temporary that nobody holds: `x` keeps the value of this rank.
    `x.contiguous()` is the worst of them. It is `x` itself while `x` is contiguous, so that the code works until the
    day on which the layout differs, and then each rank goes on with values of its own, without an error.

    Views (`.data`, `.detach()`, `.view()`), methods that change their tensor and return it, and functions of
    `torch.distributed.nn`, which return the result, are fine.

    ## Example
    ```python
    import torch.distributed as dist


    def synchronise(scores):
        dist.all_reduce(scores.contiguous())
        return scores.softmax(dim=-1)
    ```

    ## Use instead
    ```python
    import torch.distributed as dist


    def synchronise(scores):
        scores = scores.contiguous()
        dist.all_reduce(scores)
        return scores.softmax(dim=-1)
    ```

    ## Confirmed by
    Values that differ between ranks after the call.

    ## Gain
    A correct result. That the original keeps its value is tested with two processes and gloo.

    ## References
    - `torch.distributed.all_reduce`, which "operates in-place":
      https://docs.pytorch.org/docs/stable/distributed.html#torch.distributed.all_reduce
    """

    code = "TRN524"
    name = "collective-on-temporary"
    severity = Severity.ERROR
    preview = True
    on = IN_PLACE
    in_tests = True
    unless = (made_by_function, _only_sent)
    message = "`{collective}` writes its result into {kind}, and `{original}` keeps this rank's value"
    help = "assign `{text}` to a name first, and use that name afterwards"

    def found(self, site: Site) -> Match | None:
        """A collective in place, by itself in a statement, whose argument is a new tensor."""
        found = collective_of(site.file, site.statement, site.block)
        if found is None or found.call is not site.call or found.tensor is None:
            return None
        sure = temporary(found.tensor)
        if sure is None:
            return None
        certain = sure is Confidence.CERTAIN
        kind = "a temporary" if certain else "what may be a temporary"
        fields = {"collective": found.name, "original": original(found.tensor), "kind": kind}
        return Match(site.at(found.tensor), sure, fields, severity=Severity.ERROR if certain else Severity.WARNING)
