"""Calls in which all ranks of a process group take part, by the names of `torch.distributed`.

Sources: the functions of torch.distributed.distributed_c10d and torch.distributed.nn, torch 1.13 to 2.13.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Block, How
from trainlint.analysis.syntax.names import argument, constant, dotted, last_name, nodes_in
from trainlint.patterns import lazy
from trainlint.records import dataclass

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

_TENSOR: dict[str, tuple[int, str]] = {
    "all_reduce": (0, "tensor"),
    "reduce": (0, "tensor"),
    "broadcast": (0, "tensor"),
    "all_gather": (1, "tensor"),
    "all_gather_into_tensor": (1, "input_tensor"),
    "all_gather_single": (1, "input_tensor"),
    "_all_gather_base": (1, "input_tensor"),
    "gather": (0, "tensor"),
    "scatter": (0, "tensor"),
    "reduce_scatter": (1, "input_list"),
    "reduce_scatter_tensor": (1, "input"),
    "reduce_scatter_single": (1, "input"),
    "_reduce_scatter_base": (1, "input"),
    "all_to_all": (1, "input_tensor_list"),
    "all_to_all_single": (1, "input"),
}
"""Function → where it is given what this rank contributes."""
IN_PLACE = frozenset({"all_reduce", "reduce", "broadcast"})
"""Collectives that leave their result in the tensor that they are given."""
OF_OBJECTS = frozenset({"all_gather_object", "gather_object", "broadcast_object_list", "scatter_object_list"})
"""Collectives that pickle what they are given and copy it through the device."""
_BARRIERS = frozenset({"barrier", "monitored_barrier"})
COLLECTIVES = frozenset(_TENSOR) | OF_OBJECTS | _BARRIERS
"""The last names of all of them, for the triggers of rules."""
_GROUP = {
    "barrier": 0,
    "monitored_barrier": 0,
    "all_reduce": 2,
    "broadcast": 2,
    "all_gather": 2,
    "all_gather_into_tensor": 2,
    "all_gather_object": 2,
    "broadcast_object_list": 2,
    "reduce": 3,
    "gather": 3,
    "scatter": 3,
    "gather_object": 3,
    "reduce_scatter": 3,
    "reduce_scatter_tensor": 3,
    "all_to_all": 2,
}
"""Function → where its process group is given by position; `async_op` follows it."""
_MODULE = lazy(r"^(torch\.)?dist(ributed)?$|^c10d$|^deepspeed\.comm$|distributed_c10d$")
_PACKAGES = ("torch.distributed.", "deepspeed.comm.")
_FUNCTIONAL = (
    "torch.distributed.nn.",
    "torch.distributed._functional_collectives.",
    "torch.distributed._symmetric_memory.",
)
"""Functions of the same names that return their result instead of writing it into an argument."""
SCALAR_NAME = lazy(
    r"loss|(^|_)(acc|accuracy|correct|total|count|num|n|metric|metrics|reward|rewards|length|lengths|norm|tokens|"
    r"samples|seen|tensor_?size|successes|nats|stats?|perplexity|lr|mfu|elapsed|time|bpb|bpd)($|_|\d)",
    re.IGNORECASE,
)
"""Names of tensors that hold a single number, or a few."""


@dataclass(frozen=True, slots=True, eq=False)
class Collective:
    """One such call."""

    name: str
    call: ast.Call
    tensor: ast.expr | None
    """What this rank contributes; None for a barrier, and where it cannot be told."""
    group: ast.expr | None
    """The process group that is written out; None for the default one."""
    returns_handle: bool
    """Whether `async_op` is given as anything but False: the call hands back work to wait for."""

    @property
    def of_objects(self) -> bool:
        """Whether Python objects travel, pickled."""
        return self.name in OF_OBJECTS


def collective(file: SemanticModel, call: ast.Call, block: Block) -> Collective | None:
    """The collective that a call is; None for other things of the same name, such as `accelerator.gather`.

    Functions count by their import, or as an attribute of something that is called `dist`.
    """
    name = last_name(call.func)
    if name not in COLLECTIVES:
        return None
    origin = file.kinds.imported(call.func, block)
    if origin is None:
        owner = dotted(call.func.value) if isinstance(call.func, ast.Attribute) else None
        if owner is None or not _MODULE.search(owner) or _is_assigned(owner, block):
            return None
    elif not origin.startswith(_PACKAGES) or origin.startswith(_FUNCTIONAL):
        return None
    place, keyword = _TENSOR.get(name, (0, "obj"))
    group = _GROUP.get(name)
    waits = name in OF_OBJECTS or name == "monitored_barrier"
    handle = argument(call, "async_op", None if group is None or waits else group + 1)
    return Collective(
        name,
        call,
        None if name in _BARRIERS else argument(call, keyword, place),
        argument(call, "group", group),
        handle is not None and constant(handle) is not False,
    )


def collective_of(file: SemanticModel, statement: ast.stmt, block: Block) -> Collective | None:
    """The collective that a statement of its own consists of, as in `dist.all_reduce(loss)`; None for any other."""
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return None
    return collective(file, statement.value, block)


def same_group(one: Collective, other: Collective) -> bool:
    """Whether two collectives are written out to run in the same process group."""
    return _text(one.group) == _text(other.group)


def same_operation(one: Collective, other: Collective) -> bool:
    """Whether two reductions combine values alike: the same function, `op`, root and group."""
    options = ("op", "dst", "src")
    alike = all(_text(argument(one.call, name, 1)) == _text(argument(other.call, name, 1)) for name in options)
    return one.name == other.name and alike and same_group(one, other)


def body_around(statement: ast.stmt, block: Block) -> list[ast.stmt]:
    """The list of statements that a statement stands in; empty where it cannot be told."""
    for outer in block.outwards():
        for field in ("body", "orelse", "finalbody"):
            found = getattr(outer.node, field, None)
            if isinstance(found, list) and statement in found:
                return [item for item in found if isinstance(item, ast.stmt)]
    return next((found for found in _nested_bodies(block) if statement in found), [])


def _nested_bodies(block: Block) -> list[list[ast.stmt]]:
    """Bodies of statements that make no block of their own, such as `try`."""
    return [
        found
        for node in nodes_in(block.node)
        for field in ("body", "orelse", "finalbody")
        if isinstance(found := getattr(node, field, None), list)
    ]


def _is_assigned(owner: str, block: Block) -> bool:
    """Whether a name such as `dist` was given a value in the file: then it is a tensor or a distribution."""
    name = owner.partition(".")[0]
    scope = block.scope.owner(name)
    return scope is not None and any(
        binding.how not in (How.IMPORT, How.PARAMETER, How.OTHER) for binding in scope.bindings[name]
    )


def _text(node: ast.expr | None) -> str:
    return ast.unparse(node) if node is not None else ""
