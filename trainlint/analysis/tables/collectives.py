"""Functions of `torch.distributed` in which all ranks of a process group take part.

Sources: torch.distributed.distributed_c10d, torch 1.13 to 2.13.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from trainlint.patterns import lazy


class CollectiveFunction(NamedTuple):
    """One collective, by its last name."""

    name: str
    tensor: tuple[int, str] | None = None
    """Position and keyword of what this rank contributes; None for a barrier."""
    in_place: bool = False
    """Whether the result is left in the tensor that is given."""
    of_objects: bool = False
    """Whether Python objects are pickled and copied through the device."""
    brings_together: bool = False
    """Whether ranks get what others have of a value, as for a mean over all of them."""
    one_buffer: bool = False
    """Whether it takes one tensor for what all ranks send or receive, not a list."""
    newest: str = ""
    """The name that PyTorch 2.13 gave it."""

    @property
    def origins(self) -> tuple[str, ...]:
        """Its dotted origins in PyTorch, the public one first."""
        return tuple(f"torch.distributed.{path}{self.name}" for path in ("", "distributed_c10d."))


ALL_GATHER = CollectiveFunction("all_gather", (1, "tensor"), brings_together=True)
ALL_REDUCE = CollectiveFunction("all_reduce", (0, "tensor"), in_place=True, brings_together=True)
BROADCAST = CollectiveFunction("broadcast", (0, "tensor"), in_place=True)
ALL_GATHER_INTO_TENSOR = CollectiveFunction(
    "all_gather_into_tensor",
    (1, "input_tensor"),
    brings_together=True,
    newest="all_gather_single",
    one_buffer=True,
)
_FUNCTIONS = (
    ALL_REDUCE,
    CollectiveFunction("reduce", (0, "tensor"), in_place=True, brings_together=True),
    BROADCAST,
    ALL_GATHER,
    ALL_GATHER_INTO_TENSOR,
    CollectiveFunction("all_gather_single", (1, "input_tensor"), brings_together=True, one_buffer=True),
    CollectiveFunction("_all_gather_base", (1, "input_tensor"), brings_together=True, one_buffer=True),
    CollectiveFunction("gather", (0, "tensor"), brings_together=True),
    CollectiveFunction("scatter", (0, "tensor")),
    CollectiveFunction("reduce_scatter", (1, "input_list")),
    CollectiveFunction("reduce_scatter_tensor", (1, "input"), newest="reduce_scatter_single", one_buffer=True),
    CollectiveFunction("reduce_scatter_single", (1, "input"), one_buffer=True),
    CollectiveFunction("_reduce_scatter_base", (1, "input"), one_buffer=True),
    CollectiveFunction("all_to_all", (1, "input_tensor_list")),
    CollectiveFunction("all_to_all_single", (1, "input")),
    CollectiveFunction("all_gather_object", (0, "obj"), of_objects=True),
    CollectiveFunction("gather_object", (0, "obj"), of_objects=True),
    CollectiveFunction("broadcast_object_list", (0, "obj"), of_objects=True),
    CollectiveFunction("scatter_object_list", (0, "obj"), of_objects=True),
    CollectiveFunction("barrier"),
    CollectiveFunction("monitored_barrier"),
)
_METHODS = (
    CollectiveFunction("gather_for_metrics", brings_together=True),
    CollectiveFunction("pad_across_processes"),
    CollectiveFunction("wait_for_everyone"),
)
"""What torch.distributed has no function for."""
FUNCTIONS: dict[str, CollectiveFunction] = {row.name: row for row in _FUNCTIONS}
"""The functions of torch.distributed by name."""
NAMES = tuple(row.name for row in (*_FUNCTIONS, *_METHODS))
COLLECTIVES = frozenset(FUNCTIONS)
"""The last names of all functions, for the triggers of rules."""
IN_PLACE = frozenset(row.name for row in _FUNCTIONS if row.in_place)
REDUCTIONS = IN_PLACE - {BROADCAST.name}
OF_OBJECTS = frozenset(row.name for row in _FUNCTIONS if row.of_objects)
GATHERING_INTO_ONE = frozenset(row.name for row in _FUNCTIONS if row.one_buffer and row.brings_together)
IN_CHARGE = lazy(r"accelerator|^acc$|fabric", re.IGNORECASE)
"""How objects of Accelerate and Fabric are called that have these methods."""
BRINGING_TOGETHER = frozenset(row.name for row in (*_FUNCTIONS, *_METHODS) if row.brings_together)
"""What brings values of all ranks together, of torch.distributed, Accelerate and Fabric."""
