"""What a function puts into batches that the loader cannot pin: tensors of the device, graphs of DGL."""

from __future__ import annotations

import ast
from enum import Enum
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.names import argument, constant, last_name
from trainlint.analysis.types.values import Kind

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel


class Unpinnable(Enum):
    """Why nothing of a batch can be pinned."""

    ON_DEVICE = "device"
    """It is moved to a device, or created there: worker processes would have to use that device, too."""
    GRAPH = "graph"
    """It is a graph of DGL, which has no method `pin_memory`."""


def unpinnable_by(file: SemanticModel, call: ast.Call) -> Unpinnable | None:
    """What a call makes of this sort."""
    name, origin = last_name(call.func), file.outline.origin(call.func) or ""
    if origin in ("dgl.batch", "dgl.batch_hetero"):
        return Unpinnable.GRAPH
    if name == "cuda" or origin.startswith("torch.cuda."):
        return Unpinnable.ON_DEVICE
    device = argument(call, "device", 0 if name == "to" and isinstance(call.func, ast.Attribute) else None)
    if device is None or constant(device) is None or str(constant(device)).startswith("cpu"):
        return None
    return Unpinnable.ON_DEVICE if file.kinds.of(device, file.outline.module).kind is not Kind.DTYPE else None
