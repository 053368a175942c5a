"""Gradient scalers whose state costs nothing to read."""

from __future__ import annotations

import ast

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant
from trainlint.analysis.syntax.reaching import single_value
from trainlint.contract.guard import guard


@guard
def of_project(site: Site) -> bool:
    """The project's own code defines the method."""
    return site.file.graph.callee.get(site.call) is not None


@guard
def out_of_use(site: Site) -> bool:
    """The scaler is made with `enabled=False`, or for the CPU."""
    made = single_value(site.receiver, site.block)
    if not isinstance(made, ast.Call):
        return False
    return constant(argument(made, "enabled")) is False or constant(argument(made, "device", 0)) == "cpu"
