"""Reads of the device beside a place: the step waits there in any case."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.site import Site
from trainlint.analysis.tables.host_reads import WAITING_TO_HOST


def reads_besides(site: Site) -> bool:
    """Whether the same function reads a tensor to the host in the same step, and so waits there in any case."""
    return any(other_reads(site))


def other_reads(site: Site) -> Iterator[Site]:
    """The other calls of the same function that may bring something to the host in a training step."""
    for other in site.calls(*WAITING_TO_HOST):
        is_other = other.call is not site.call and isinstance(other.call.func, ast.Attribute)
        if is_other and other.function is site.function and other.heat.heat.in_step:
            yield other
