"""TRN532."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.conditions import decided_by_version
from trainlint.finding import Confidence, Severity
from trainlint.rule import Triggers
from trainlint_rules.distributed.idioms.nccl_variables import STALE, stale_variable, still_read


class StaleNcclVariable(CallRule):
    """An environment variable for NCCL that PyTorch no longer heeds, or calls otherwise

    ## Why
    `TORCH_NCCL_AVOID_RECORD_STREAMS=1` once kept the memory of collectives from being held too long. Since PyTorch 2.8
    that is how NCCL runs anyway: the variable changes nothing but for a warning in each process. The variables of
    PyTorch's own NCCL code are called `TORCH_NCCL_...` since 2.2; an old name warns, too, and will be ignored one day,
    which for a timeout that does not fire shows only when a run hangs. Variables of NCCL itself, such as `NCCL_DEBUG`
    and `NCCL_P2P_DISABLE`, are none of PyTorch's.

    ## Example
    ```python
    import os

    import torch

    os.environ["NCCL_BLOCKING_WAIT"] = "1"


    def start():
        torch.distributed.init_process_group("nccl")
    ```

    ## Use instead
    ```python
    import os

    import torch

    os.environ["TORCH_NCCL_BLOCKING_WAIT"] = "1"


    def start():
        torch.distributed.init_process_group("nccl")
    ```

    ## Confirmed by
    Warnings that name the variable on the error stream of each process.

    ## Gain
    None in speed: a warning less in each process, and a setting that is heeded.

    ## References
    - Environment variables of ProcessGroupNCCL: https://docs.pytorch.org/docs/stable/torch_nccl_environment_variables.html
    - TorchTitan, which dropped the variable for its warning: https://github.com/pytorch/torchtitan/pull/1088
    """

    code = "TRN532"
    name = "stale-nccl-variable"
    editor_tag = "unnecessary"
    severity = Severity.ADVICE
    preview = True
    on = (".setdefault",)
    also = Triggers(assignments=frozenset(STALE))
    in_tests = True
    unless = (still_read, decided_by_version)
    message = "{fact}"
    help = "{instead}"

    def found(self, site: Site) -> Match | None:
        """A stale name that is put into the environment."""
        found = stale_variable(site)
        if found is None:
            return None
        key, stale = found
        sure = Confidence.CERTAIN if site.has(stale.since) else Confidence.LIKELY
        title = "Use the new name" if stale.renamed else "Remove the variable"
        fields = {"fact": stale.fact, "instead": stale.instead, "title": title, "key": key, "new": stale.renamed}
        return Match(site.at(site.statement), sure, fields, fix_needs=stale.since)
