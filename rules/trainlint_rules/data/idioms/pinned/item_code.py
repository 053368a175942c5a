"""The code that makes a loader's batches, and whether it shows tensors that cannot be pinned."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.names import argument, constant, last_name, nodes_in
from trainlint.analysis.tables.loaders import collates_tensors
from trainlint.analysis.types.values import Kind
from trainlint.patterns import lazy
from trainlint_rules.data.idioms.datasets import origins

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel
    from trainlint.analysis.syntax.blocks import Block
    from trainlint.analysis.types.loaders import Loader

_SPARSE = lazy(r"sparse|(^|_)(csr|csc|bsr|bsc|coo|nested)($|_)", re.IGNORECASE)
_MOST_FUNCTIONS = 30
"""How many functions are read for one loader."""


@dataclass(frozen=True, slots=True)
class ItemCode:
    """The functions and classes of this file that make a loader's items and batches, with what they call here."""

    nodes: tuple[ast.AST, ...]
    dataset_is_seen: bool
    """Whether the dataset's class stands in this file."""
    collate_is_seen: bool
    """Whether the collate function stands in this file, or is PyTorch's own."""
    stacks: bool
    """Whether PyTorch's own function makes the batches, which refuses sparse tensors."""


def item_code(file: SemanticModel, loader: Loader) -> ItemCode:
    """The code that makes a loader's batches, as far as this file holds it."""
    dataset = argument(loader.call, "dataset", 0)
    collate, size = (file.loaders.option(loader, name) for name in ("collate_fn", "batch_size"))
    is_default = not collate.given or (collate.value is not None and collates_tensors(last_name(collate.value)))
    of_dataset = _definitions(file, dataset, loader.block)
    of_collate = [] if is_default else _definitions(file, collate.value, loader.block)
    nodes = _with_called(file, [*of_dataset, *of_collate])
    one_by_one = size.given and constant(size.value) is None
    return ItemCode(nodes, bool(of_dataset), is_default or bool(of_collate), is_default and not one_by_one)


def shows_sparse(code: ItemCode) -> bool:
    """Whether code names sparse or nested tensors."""
    names = (last_name(node) for root in code.nodes for node in nodes_in(root) if isinstance(node, ast.Call))
    return any(_SPARSE.search(name) for name in names)


def shows_device(code: ItemCode, file: SemanticModel) -> bool:
    """Whether code moves something to a device, or creates it on one."""
    calls = (node for root in code.nodes for node in nodes_in(root) if isinstance(node, ast.Call))
    return any(_names_device(file, call) for call in calls)


def _names_device(file: SemanticModel, call: ast.Call) -> bool:
    name = last_name(call.func)
    if name == "cuda" or (file.outline.origin(call.func) or "").startswith("torch.cuda."):
        return True
    device = argument(call, "device", 0 if name == "to" and isinstance(call.func, ast.Attribute) else None)
    if device is None or constant(device) is None or str(constant(device)).startswith("cpu"):
        return False
    block = file.outline.module
    return file.kinds.of(device, block).kind is not Kind.DTYPE


def _definitions(file: SemanticModel, node: ast.expr | None, block: Block) -> list[ast.AST]:
    """What the file shows of how something is made: its class, the function that it is, or the lambda."""
    if node is None:
        return []
    if isinstance(node, ast.Name | ast.Attribute):
        functions = [item.node for item in file.outline.functions if item.name == last_name(node)]
        if functions:
            return list(functions)
    found: list[ast.AST] = []
    for made, outer in origins(file, node, block):
        if isinstance(made, ast.Lambda):
            found.append(made)
        elif isinstance(made, ast.Call) and last_name(made.func) == "partial" and made.args:
            found += _definitions(file, made.args[0], outer)
        elif isinstance(made, ast.Call) and isinstance(made.func, ast.Name):
            cls = file.graph.class_named(made.func, outer)
            found += [cls.node] if cls is not None else []
    return found


def _with_called(file: SemanticModel, nodes: list[ast.AST]) -> tuple[ast.AST, ...]:
    """These definitions, and the functions of the file that they call at any distance."""
    found = dict.fromkeys(nodes)
    waiting = list(found)
    while waiting and len(found) < _MOST_FUNCTIONS:
        for part in nodes_in(waiting.pop()):
            edge = file.graph.callee.get(part)
            if edge is not None and edge.function.node not in found:
                found[edge.function.node] = None
                waiting.append(edge.function.node)
    return tuple(found)
