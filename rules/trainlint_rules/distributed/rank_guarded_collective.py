"""TRN527."""

from __future__ import annotations

from trainlint.analysis.conditions.rank_ways import main_only
from trainlint.analysis.site import Site
from trainlint.analysis.tables.collectives import COLLECTIVES, OF_ACCELERATE
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Severity
from trainlint_rules.distributed.idioms.collectives.rank_guarded_calls import has_counterpart, has_group, is_collective


class RankGuardedCollective(CallRule):
    """A collective that only the first rank reaches: it waits for the others forever

    ## Why
    All ranks of a group must make the same collective calls in the same order. A call under `if rank == 0:` waits for
    ranks that never come: the run hangs until the watchdog kills it, by default after 10 minutes on NCCL and 30 on
    gloo. Or, worse, it meets the next collective of the others and exchanges the wrong tensors.

    Tests of the local rank, of the number of processes and of whether the run is distributed at all do not count.

    ## Example
    ```python
    import torch.distributed as dist


    def report(loss, step):
        if dist.get_rank() == 0:
            dist.all_reduce(loss)
            print(f"step {step}: loss {loss / dist.get_world_size()}")
    ```

    ## Use instead
    ```python
    import torch.distributed as dist


    def report(loss, step):
        dist.all_reduce(loss)
        if dist.get_rank() == 0:
            print(f"step {step}: loss {loss / dist.get_world_size()}")
    ```

    ## Confirmed by
    A run with two processes that stands still at this line.

    ## Gain
    A run that does not hang. With one process the guard changes nothing. The hang is tested with two processes.

    ## References
    - Collective functions: https://docs.pytorch.org/docs/stable/distributed.html#collective-functions
    - Timeouts of `init_process_group`:
      https://docs.pytorch.org/docs/stable/distributed.html#torch.distributed.init_process_group
    """

    code = "TRN527"
    name = "rank-guarded-collective"
    severity = Severity.ERROR
    preview = True
    on = COLLECTIVES | OF_ACCELERATE
    unless = (has_group, has_counterpart)
    message = "`{collective}` waits for all ranks, but only ranks with `{test}` (line {line}) call it: the run hangs"
    help = "move the call out of the test, so that every rank makes it"

    def found(self, site: Site) -> Match | None:
        """A collective behind a test that holds on the first rank only, or on all others."""
        behind = main_only(site.block) if is_collective(site) else None
        if behind is None:
            return None
        fields = {"collective": site.text(site.call.func), "test": behind.words, "line": behind.line}
        return Match(site, fields=fields)
