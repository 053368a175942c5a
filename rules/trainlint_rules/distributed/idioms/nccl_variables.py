"""Environment variables for NCCL that PyTorch gave up or renamed, and statements that set them."""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import constant, last_name
from trainlint.analysis.tables.versions.deprecations import Version
from trainlint.contract.guard import early_guard
from trainlint.patterns import lazy

_ENVIRONMENT = lazy(r"(^|_)env(iron|s|_vars?|ironment)?($|_)", re.IGNORECASE)
"""`os.environ`, or the copy of it that a launcher hands to its processes."""


class StaleVariable(NamedTuple):
    """A variable that PyTorch gave up, or renamed."""

    since: Version
    fact: str
    instead: str
    renamed: str | None = None


def _renamed(old: str) -> StaleVariable:
    new = f"TORCH_{old}"
    return StaleVariable((2, 2), f"`{old}` is deprecated since PyTorch 2.2", f"set `{new}`", new)


STALE = {
    "TORCH_NCCL_AVOID_RECORD_STREAMS": StaleVariable(
        (2, 8), "PyTorch 2.8 and newer ignore this variable and warn of it in each process", "leave it out"
    ),
    **{old: _renamed(old) for old in ("NCCL_BLOCKING_WAIT", "NCCL_ASYNC_ERROR_HANDLING")},
}


def stale_variable(site: Site) -> tuple[ast.expr, StaleVariable] | None:
    """The name that a statement puts into the environment, as it is written, and the stale variable that it is."""
    match site.node, site.statement:
        case ast.Call(func=ast.Attribute(value=owner), args=[key, *_]), _:
            pass
        case ast.Call(), _:
            return None
        case _, ast.Assign(targets=[ast.Subscript(value=owner, slice=key)]):
            pass
        case _:
            return None
    stale = STALE.get(str(constant(key)))
    return (key, stale) if stale is not None and _ENVIRONMENT.search(last_name(owner)) else None


@early_guard
def still_read(site: Site) -> bool:
    """The project's oldest PyTorch still reads the variable."""
    found = stale_variable(site)
    return found is not None and site.lacks(found[1].since)
