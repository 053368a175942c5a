"""Models that are wrapped for several devices: by DistributedDataParallel, or by DataParallel in one process.

Sources: torch.nn.parallel, torch 1.13 to 2.13.
"""

from __future__ import annotations

import ast

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.syntax.blocks import Block, How
from trainlint.analysis.tables.module_methods import RETURN_SELF
from trainlint.analysis.tables.parallel import DDP_ORIGINS

_DEEPEST = 3


def ddp_call(file: SemanticModel, node: ast.expr, block: Block, depth: int = _DEEPEST) -> ast.Call | None:
    """The call of DistributedDataParallel that made what a name, an attribute of `self` or a call holds.

    One of several bindings is enough: training scripts wrap a model only where there are several processes.
    """
    if isinstance(node, ast.Call):
        if file.kinds.imported(node.func, block) in DDP_ORIGINS:
            return node
        if isinstance(node.func, ast.Attribute) and node.func.attr in RETURN_SELF:
            return ddp_call(file, node.func.value, block, depth)
        return None
    if not depth:
        return None
    for binding in file.outline.bindings(node, block):
        if binding.how is How.ASSIGN and binding.value is not None and not binding.path:
            found = ddp_call(file, binding.value, binding.block, depth - 1)
            if found is not None:
                return found
    return None


def inner_of_ddp(file: SemanticModel, node: ast.expr, block: Block, depth: int = _DEEPEST) -> ast.Call | None:
    """The call that wrapped a model of which an expression is the inner module: `ddp.module`, or a name for it.

    A name counts only where every binding of it is such a module: `raw = model.module if wrapped else model` may be
    the model itself.
    """
    if isinstance(node, ast.Attribute) and node.attr == "module":
        return ddp_call(file, node.value, block)
    if not isinstance(node, ast.Name) or not depth:
        return None
    found = [
        inner_of_ddp(file, binding.value, binding.block, depth - 1)
        if binding.how is How.ASSIGN and binding.value is not None and not binding.path
        else None
        for binding in file.outline.bindings(node, block)
    ]
    return None if None in found or not found else found[0]
