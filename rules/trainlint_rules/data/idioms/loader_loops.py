"""What the loops over a loader do with its batches: count them, evaluate a model, or more."""

from __future__ import annotations

import ast

from trainlint.analysis.programs.steps import LoopKind
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.syntax.blocks import Block, Place
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import last_name, nodes_in, root_name
from trainlint.analysis.tables.common_names import PLAIN_METHODS
from trainlint.analysis.tables.iterables import only_iterates
from trainlint.analysis.types.loaders import Loader

_COUNTING = frozenset("len int float sum max min abs isinstance print set".split())


def loops_over(file: SemanticModel, loader: Loader) -> list[Block]:
    """The `for` loops of the file that take batches of a loader."""
    return _loops(file).get(loader, [])


@once
def _loops(file: SemanticModel) -> dict[Loader, list[Block]]:
    found: dict[Loader, list[Block]] = {}
    for place in file.outline.loops:
        if isinstance(place.node, ast.For | ast.AsyncFor):
            for loader in file.batches.loaders_behind(place.node.iter, place.block):
                found.setdefault(loader, []).append(file.outline.loop_blocks[place.node])
    return found


def draws_by_next(file: SemanticModel, loader: Loader) -> list[Place]:
    """The calls of `next` by which the file takes batches of a loader one by one."""
    return _draws(file).get(loader, [])


@once
def _draws(file: SemanticModel) -> dict[Loader, list[Place]]:
    found: dict[Loader, list[Place]] = {}
    for place in file.outline.calls.get("next", ()):
        if isinstance(place.node, ast.Call) and place.node.args:
            for loader in file.batches.loaders_behind(place.node.args[0], place.block):
                found.setdefault(loader, []).append(place)
    return found


def is_drawn_by_next(file: SemanticModel, loader: Loader) -> bool:
    """Whether the file also takes batches of a loader one by one, by `next`."""
    return bool(draws_by_next(file, loader))


def only_evaluates(file: SemanticModel, loader: Loader) -> bool:
    """Whether the file goes through a loader's batches, and each time for an evaluation."""
    found = loops_over(file, loader)
    evaluates = bool(found) and all(file.loops.kind(loop) is LoopKind.EVAL for loop in found)
    return evaluates and not is_drawn_by_next(file, loader)


def only_counts(file: SemanticModel, loader: Loader) -> bool:
    """Whether the file goes through a loader's batches only to compute numbers of them, as for a mean, on the host."""
    found = loops_over(file, loader)
    return bool(found) and all(_counts(file, loop) for loop in found) and not is_drawn_by_next(file, loader)


def _counts(file: SemanticModel, loop: Block) -> bool:
    """Whether nothing in a loop could be a model, or hands a batch on to one."""
    assert isinstance(loop.node, ast.For | ast.AsyncFor)
    parts = [part for statement in loop.node.body for part in nodes_in(statement)]
    if any(isinstance(part, ast.Yield | ast.YieldFrom | ast.Return) for part in parts):
        return False
    return all(_is_plain(file, part, loop) for part in parts if isinstance(part, ast.Call))


def _is_plain(file: SemanticModel, call: ast.Call, loop: Block) -> bool:
    """Whether a call is one of PyTorch's functions, a built-in, or a method of tensors and containers.

    `append` is none: what is collected may meet a model later; nor is anything that copies to the device.
    """
    origin = file.kinds.imported(call.func, loop)
    name = last_name(call.func)
    if origin is not None:
        return origin.startswith(("torch.", "numpy.", "math.")) or only_iterates(name)
    if isinstance(call.func, ast.Name):
        return name in _COUNTING or only_iterates(name)
    return name in PLAIN_METHODS - {"append", "extend", "cuda", "backward"} and root_name(call.func) not in ("self", "")
