"""Calls in which all ranks of a process group take part, by the names of `torch.distributed`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from trainlint.analysis.syntax.blocks import Block, How
from trainlint.analysis.syntax.names import argument, dotted, last_name
from trainlint.analysis.tables.collectives import FUNCTIONS
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

_MODULE = lazy(r"^(torch\.)?dist(ributed)?$|^c10d$|^deepspeed\.comm$|distributed_c10d$")
_PACKAGES = ("torch.distributed.", "deepspeed.comm.")
_FUNCTIONAL = (
    "torch.distributed.nn.",
    "torch.distributed._functional_collectives.",
    "torch.distributed._symmetric_memory.",
)
"""Functions of the same names that return their result instead of writing it into an argument."""


class Collective(NamedTuple):
    """One such call."""

    name: str
    call: ast.Call
    tensor: ast.expr | None
    """What this rank contributes; None for a barrier, and where it cannot be told."""

    @property
    def of_objects(self) -> bool:
        """Whether Python objects travel, pickled."""
        return FUNCTIONS[self.name].of_objects


def collective(file: SemanticModel, call: ast.Call, block: Block) -> Collective | None:
    """The collective that a call is; None for other things of the same name, such as `accelerator.gather`.

    Functions count by their import, or as an attribute of something that is called `dist`.
    """
    name = last_name(call.func)
    if name not in FUNCTIONS:
        return None
    origin = file.outline.imported(call.func, block)
    if origin is None:
        owner = dotted(call.func.value) if isinstance(call.func, ast.Attribute) else None
        if owner is None or not _MODULE.search(owner) or _is_assigned(owner, block):
            return None
    elif not origin.startswith(_PACKAGES) or origin.startswith(_FUNCTIONAL):
        return None
    row = FUNCTIONS[name]
    return Collective(
        name,
        call,
        argument(call, row.tensor[1], row.tensor[0]) if row.tensor is not None else None,
    )


def _is_assigned(owner: str, block: Block) -> bool:
    """Whether a name such as `dist` was given a value in the file: then it is a tensor or a distribution."""
    name = owner.partition(".")[0]
    scope = block.scope.owner(name)
    return scope is not None and any(
        binding.how not in (How.IMPORT, How.PARAMETER, How.OTHER) for binding in scope.bindings[name]
    )
