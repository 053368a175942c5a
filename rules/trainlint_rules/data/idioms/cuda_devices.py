"""CUDA devices that are named in plain sight."""

from __future__ import annotations

import ast

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, How
from trainlint.analysis.syntax.names import argument, constant, last_name

_DEEPEST = 4


def goes_to_named_cuda(site: Site) -> bool:
    """Whether a call copies a tensor to CUDA, or makes one there, by a device that the file names."""
    call = site.call
    is_method, name = isinstance(call.func, ast.Attribute), last_name(call.func)
    if is_method and name == "cuda":
        return site.origin(call.func) is None
    given = argument(call, "device", 0 if is_method and name == "to" else None)
    return given is not None and _is_cuda(site.file, given, site.block, _DEEPEST)


def _is_cuda(file: SemanticModel, node: ast.expr, block: Block, depth: int) -> bool:
    """Whether an expression names a CUDA device, at least on a machine that has one."""
    value = constant(node)
    if isinstance(value, str):
        return value.startswith("cuda")
    if depth <= 0:
        return False
    if isinstance(node, ast.IfExp):
        return _is_cuda(file, node.body, block, depth - 1) or _is_cuda(file, node.orelse, block, depth - 1)
    if isinstance(node, ast.Call) and file.kinds.imported(node.func, block) == "torch.device":
        return bool(node.args) and _is_cuda(file, node.args[0], block, depth - 1)
    bindings = file.outline.bindings(node, block)
    return bool(bindings) and all(
        item.how is How.ASSIGN and item.value is not None and _is_cuda(file, item.value, item.block, depth - 1)
        for item in bindings
    )
