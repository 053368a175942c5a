"""The code that makes a loader's batches, and whether it shows tensors that cannot be pinned."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.names import argument, constant, last_name, nodes_in
from trainlint.analysis.tables.loaders import collates_tensors
from trainlint.analysis.types.unpinnable import Unpinnable, unpinnable_by
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
    elsewhere: tuple[Unpinnable, ...] = ()
    """What functions of other files put into the batches that cannot be pinned."""


def item_code(file: SemanticModel, loader: Loader) -> ItemCode:
    """The code that makes a loader's batches, as far as this file holds it."""
    dataset = argument(loader.call, "dataset", 0)
    collate, size = (file.loaders.option(loader, name) for name in ("collate_fn", "batch_size"))
    is_default = not collate.given or (collate.value is not None and collates_tensors(last_name(collate.value)))
    of_dataset = _definitions(file, dataset, loader.block)
    of_collate = [] if is_default else _definitions(file, collate.value, loader.block)
    nodes = _with_called(file, [*of_dataset, *of_collate])
    one_by_one = size.given and constant(size.value) is None
    elsewhere = file.outside.unpinnable.get(file.keys.call(loader.call), ()) if file.outside.unpinnable else ()
    return ItemCode(nodes, bool(of_dataset), is_default or bool(of_collate), is_default and not one_by_one, elsewhere)


def shows_sparse(code: ItemCode) -> bool:
    """Whether code names sparse or nested tensors."""
    names = (last_name(node) for root in code.nodes for node in nodes_in(root) if isinstance(node, ast.Call))
    return any(_SPARSE.search(name) for name in names)


def shows_device(code: ItemCode, file: SemanticModel) -> bool:
    """Whether code moves something to a device, or creates it on one."""
    return Unpinnable.ON_DEVICE in code.elsewhere or any(
        unpinnable_by(file, call) is Unpinnable.ON_DEVICE for call in _calls_in(code)
    )


def shows_graphs(code: ItemCode, file: SemanticModel) -> bool:
    """Whether code makes graphs of DGL, which cannot be pinned."""
    return Unpinnable.GRAPH in code.elsewhere or any(
        unpinnable_by(file, call) is Unpinnable.GRAPH for call in _calls_in(code)
    )


def _calls_in(code: ItemCode) -> Iterator[ast.Call]:
    return (node for root in code.nodes for node in nodes_in(root) if isinstance(node, ast.Call))


def _definitions(file: SemanticModel, node: ast.expr | None, block: Block) -> list[ast.AST]:
    """What the file shows of how something is made: its class, the function that it is, or the lambda."""
    if node is None:
        return []
    if isinstance(node, ast.Name | ast.Attribute):
        functions = [item.node for item in file.outline.functions if item.name == last_name(node)]
        if functions:
            return list(functions)
    found: list[ast.AST] = []
    makers = origins(file, node, block)
    edge = file.graph.callee.get(node)
    if not makers and edge is not None:  # a function that returns one that stands inside it
        return [edge.function.node]
    for made, outer in makers:
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
