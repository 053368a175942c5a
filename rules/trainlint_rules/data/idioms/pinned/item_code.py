"""The code that makes a loader's batches, and how much of it is in sight."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.names import argument, constant, last_name, nodes_in
from trainlint.analysis.tables.loaders import collates_tensors
from trainlint.patterns import lazy
from trainlint_rules.data.idioms.datasets import origins

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel
    from trainlint.analysis.syntax.blocks import Block
    from trainlint.analysis.types.loaders import Loader

_DEVICE = lazy(r"(cuda|device|dev|gpu)(:|$)")


@dataclass(frozen=True, slots=True)
class ItemCode:
    """The functions and classes that make a loader's items and batches."""

    shows_device: bool
    """Whether they call `cuda`, or give a call a device."""
    dataset_is_seen: bool
    """Whether the dataset's class stands in this file or another one of the project."""
    collate_is_seen: bool
    """Whether the collate function does, or is PyTorch's own."""
    stacks: bool
    """Whether PyTorch's own function makes the batches, which refuses sparse tensors."""


def item_code(file: SemanticModel, loader: Loader) -> ItemCode:
    """The code that makes a loader's batches, as far as this file holds it or is told of it."""
    dataset = argument(loader.call, "dataset", 0)
    collate, size = (file.loaders.option(loader, name) for name in ("collate_fn", "batch_size"))
    is_default = not collate.given or (collate.value is not None and collates_tensors(last_name(collate.value)))
    of_dataset = _definitions(file, dataset, loader.block)
    of_collate = [] if is_default else _definitions(file, collate.value, loader.block)
    one_by_one = size.given and constant(size.value) is None
    return ItemCode(
        shows_device=any(map(_names_cuda, [*of_dataset, *of_collate])),
        dataset_is_seen=bool(of_dataset),
        collate_is_seen=is_default or bool(of_collate),
        stacks=is_default and not one_by_one,
    )


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
        found += _defined_by(file, made, outer)
    return found


def _defined_by(file: SemanticModel, made: ast.expr, block: Block) -> list[ast.AST]:
    """The definitions behind one expression that makes something: a lambda, a partial function, a class."""
    if isinstance(made, ast.Lambda):
        return [made]
    if isinstance(made, ast.Call) and last_name(made.func) == "partial" and made.args:
        return _definitions(file, made.args[0], block)
    if isinstance(made, ast.Call) and isinstance(made.func, ast.Name):
        cls = file.graph.class_named(made.func, block)
        return [cls.node] if cls is not None else []
    return []


def _names_cuda(root: ast.AST) -> bool:
    """Whether a definition calls `x.cuda()`, or gives a call what is called, or begins with, a device or "cuda"."""
    calls = [node for node in nodes_in(root) if isinstance(node, ast.Call)]
    given = (item for call in calls for item in (*call.args, *(keyword.value for keyword in call.keywords)))
    words = (str(constant(item)) if isinstance(item, ast.Constant) else last_name(item) for item in given)
    return any(last_name(call.func) == "cuda" for call in calls) or any(map(_DEVICE.match, words))
