"""TRN527."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.conditions.questions import is_on_some_ranks
from trainlint.analysis.conditions.rank_ways import main_only
from trainlint.analysis.effects.collectives import collective
from trainlint.analysis.programs.fact_names import ACCELERATOR
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.syntax.names import last_name
from trainlint.analysis.tables.collectives import COLLECTIVES, OF_ACCELERATE
from trainlint.finding import Finding, Severity
from trainlint.rule import Rule, Triggers


class RankGuardedCollective(Rule):
    """A collective that only the first rank reaches: it waits for the others forever

    ## Why
    All ranks of a group must make the same collective calls in the same order. A call under `if rank == 0:` waits for
    ranks that never come: the run hangs until the watchdog kills it, by default after 10 minutes on NCCL and 30 on
    gloo. Or, worse, it meets the next collective of the others and exchanges the wrong tensors.

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

    ## Stays silent
    Where the other ranks make a collective call in the same function under the opposite test, as around a download;
    in process groups that are written out, which may hold these ranks only; for tests of the local rank and of whether
    the run is distributed at all.

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
    heat_matters = False
    preview = True
    triggers = Triggers(calls=COLLECTIVES | OF_ACCELERATE)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find collectives in the default group behind a test that holds in the first process only."""
        if is_test_path(site.path) or not _needs_all(site):
            return
        guard = main_only(site.block)
        if guard is None or _has_counterpart(site, guard.block):
            return
        yield self.finding(
            site,
            f"`{ast.unparse(site.call.func)}` waits for all ranks, but only those come here for which "
            f"`{guard.words}` (line {guard.line}) holds; the run hangs",
            confidence=0.9,
        )


def _needs_all(site: Site) -> bool:
    """Whether a call needs every rank of the default group."""
    func = site.call.func
    if last_name(func) in OF_ACCELERATE and isinstance(func, ast.Attribute):
        if ACCELERATOR.search(last_name(func.value)):
            return True
    found = collective(site.file, site.call, site.block)
    return found is not None and found.group is None


def _has_counterpart(site: Site, guard: Block) -> bool:
    """Whether the function makes a collective call elsewhere that some ranks make and others do not."""
    here = site.function
    for name in COLLECTIVES | OF_ACCELERATE:
        for other in site.calls(name):
            if other.function is here and other.call is not site.call and not other.block.within(guard):
                if is_on_some_ranks(other.conditions):
                    return True
    return False
