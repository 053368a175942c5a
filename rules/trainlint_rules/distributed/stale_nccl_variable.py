"""TRN532."""

from __future__ import annotations

import ast

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import constant
from trainlint.contract.declared_rule import DeclaredRule, Match
from trainlint.contract.guards.conditions import decided_by_version
from trainlint.finding import Confidence, Severity
from trainlint.rule import Triggers

_RENAMED = "`{old}` is deprecated since PyTorch 2.2"
_STALE = {
    "TORCH_NCCL_AVOID_RECORD_STREAMS": (
        (2, 8),
        "PyTorch 2.8 and newer ignore this variable and warn of it in each process",
        "leave it out",
    ),
    "NCCL_BLOCKING_WAIT": ((2, 2), _RENAMED, "set `TORCH_{old}`"),
    "NCCL_ASYNC_ERROR_HANDLING": ((2, 2), _RENAMED, "set `TORCH_{old}`"),
}
"""By the variable: the version from which on it is stale, why, and what to do."""


class StaleNcclVariable(DeclaredRule):
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
    also = Triggers(assignments=frozenset(_STALE))
    in_tests = True
    unless = (decided_by_version,)
    message = "{fact}"
    help = "{instead}"

    def found(self, site: Site) -> Match | None:
        """A stale name that is put into `os.environ`, or into a copy of it."""
        match site.statement:
            case ast.Assign(targets=[ast.Subscript(value=owner, slice=key)]) if "env" in ast.unparse(owner).lower():
                since, fact, instead = _STALE.get(str(constant(key)), (None, "", ""))
                if since is None or site.lacks(since):
                    return None
                old = str(constant(key))
                fields = {"fact": fact.format(old=old), "instead": instead.format(old=old)}
                return Match(
                    site.at(site.statement), Confidence.CERTAIN if site.has(since) else Confidence.LIKELY, fields
                )
        return None
