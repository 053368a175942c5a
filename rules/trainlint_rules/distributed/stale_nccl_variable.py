"""TRN532."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from trainlint.analysis.conditions.alternatives import depends_on_version
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import constant, last_name
from trainlint.analysis.tables.deprecations import Version
from trainlint.finding import Finding, Fix, Safety, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers

_ENVIRONMENT = lazy(r"(^|_)env(iron|s|_vars?|ironment)?($|_)", re.IGNORECASE)
"""`os.environ`, or the copy of it that a launcher hands to its processes."""
"""Tests of a version, but none of a project's own switches that have PyTorch in their names."""


@dataclass(frozen=True, slots=True)
class _Stale:
    """A variable that PyTorch gave up."""

    since: Version
    said: str
    confidence: float
    """Where the project names no versions of PyTorch."""
    renamed: str | None = None


def _renamed(old: str) -> _Stale:
    said = f"PyTorch 2.2 and newer call this variable `TORCH_{old}`, and warn of the old name"
    return _Stale((2, 2), said, 0.85, f"TORCH_{old}")


_VARIABLES = {
    "TORCH_NCCL_AVOID_RECORD_STREAMS": _Stale(
        (2, 8), "PyTorch 2.8 and newer run NCCL so anyway, and warn of this variable in each process; leave it out", 0.7
    ),
    **{old: _renamed(old) for old in ("NCCL_BLOCKING_WAIT", "NCCL_ASYNC_ERROR_HANDLING")},
}


class StaleNcclVariable(Rule):
    """An environment variable for NCCL that PyTorch no longer heeds, or calls otherwise

    ## Why
    `TORCH_NCCL_AVOID_RECORD_STREAMS=1` once kept the memory of collectives from being held too long. Since PyTorch 2.8
    that is how NCCL runs anyway: the variable changes nothing but for a warning in each process. The variables of
    PyTorch's own NCCL code are called `TORCH_NCCL_...` since 2.2; an old name warns, too, and will be ignored one day,
    which for a timeout that does not fire shows only when a run hangs.

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

    ## Stays silent
    Where the project's oldest PyTorch heeds the old way still, where a version decides, and where a variable is only
    read or deleted. Variables of NCCL itself, such as `NCCL_DEBUG` and `NCCL_P2P_DISABLE`, are none of PyTorch's.

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
    severity = Severity.ADVICE
    fix_safety = Safety.SAFE
    preview = True
    heat_matters = False
    triggers = Triggers(calls=frozenset({"setdefault"}), assignments=frozenset(_VARIABLES))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find stale names that are put into the environment."""
        key = _key(site)
        stale = _VARIABLES.get(str(constant(key)))
        if key is None or stale is None or depends_on_version(site.block):
            return
        target = site.file.config.target_torch
        if target is not None and target.lacks(stale.since):
            return
        sure = target is not None and target.has(stale.since)
        yield self.finding(
            site,
            stale.said,
            at=site.statement,
            confidence=0.95 if sure else stale.confidence,
            fix=partial(_fix, site, key, stale, sure=sure),
            fix_needs=stale.since,
        )


def _key(site: Site) -> ast.expr | None:
    """The name of the variable that a statement sets, as it is written."""
    if isinstance(site.node, ast.Call):
        func = site.node.func
        owner = func.value if isinstance(func, ast.Attribute) else None
        key = site.node.args[0] if site.node.args else None
    else:
        statement = site.statement
        target = statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
        owner = target.value if isinstance(target, ast.Subscript) else None
        key = target.slice if isinstance(target, ast.Subscript) else None
    return key if owner is not None and _ENVIRONMENT.search(last_name(owner)) else None


def _fix(site: Site, key: ast.expr, stale: _Stale, *, sure: bool) -> Fix | None:
    """The new name; no statement at all where every targeted version works so anyway."""
    import libcst as cst

    from trainlint.fixing.rewrite import attempt, remove_statement, replace_expression

    def make() -> Fix:
        if stale.renamed is not None:
            new = cst.SimpleString(f'"{stale.renamed}"')
            return Fix("Use the new name", (replace_expression(site.source, key, new),), Safety.SAFE)
        return Fix("Remove the variable", remove_statement(site.source, site.statement), Safety.SAFE)

    return attempt(make) if stale.renamed is not None or sure else None
