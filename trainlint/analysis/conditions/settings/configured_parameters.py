"""Parameters that a decorator fills from a program's options: detectron2's `@configurable` with `from_config`."""

from __future__ import annotations

from trainlint.analysis.syntax.blocks import Function
from trainlint.analysis.tables.frameworks.trainers import CONFIGURABLE, FROM_CONFIGURATION


def makes_arguments(function: Function) -> bool:
    """Whether a framework calls a method to make the arguments of its class's constructor, and nobody else need."""
    constructor = function.owner.methods.get("__init__") if function.owner is not None else None
    return function.name == FROM_CONFIGURATION and constructor is not None and constructor.is_decorated(CONFIGURABLE)
