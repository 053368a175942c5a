"""Loaders that Lightning goes through anew in each epoch: handed to `fit`, or returned by a hook."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.syntax.blocks import Block, Class, Function, How
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import argument, constant, last_name
from trainlint.analysis.tables.frameworks.hooks import LIGHTNING_CLASS, LIGHTNING_LOADERS, LIGHTNING_TRAINER
from trainlint.analysis.types.loaders import Loader

_DEEPEST = 4


def repeated_by_lightning(file: SemanticModel, loader: Loader) -> bool:
    """Whether Lightning goes through a loader in each epoch, of which there is more than one."""
    return loader in _repeated(file)


@once
def _repeated(file: SemanticModel) -> frozenset[Loader]:
    if not file.loaders.built:
        return frozenset()
    found: set[Loader] = set()
    for node, block in (*_fitted(file), *_returned_by_hooks(file)):
        found |= file.batches.loaders_behind(node, block)
    return frozenset(found)


def _fitted(file: SemanticModel) -> Iterator[tuple[ast.expr, Block]]:
    """What is given to `fit` of a Lightning trainer that runs several epochs."""
    for place in file.outline.calls.get("fit", []):
        call = place.node
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            if _runs_epochs(file, call.func.value, place.block):
                given = [*call.args[1:], *(keyword.value for keyword in call.keywords)]
                yield from ((item, place.block) for item in given)


def _runs_epochs(file: SemanticModel, node: ast.expr, block: Block) -> bool:
    """Whether an expression is a Lightning trainer that is not told to run one epoch only."""
    bound = [] if isinstance(node, ast.Call) else file.outline.bindings(node, block)
    values = [(item.value, item.block) for item in bound if item.how is How.ASSIGN and not item.path]
    for value, outer in values or [(node, block)]:
        if isinstance(value, ast.Call) and LIGHTNING_TRAINER.search(file.kinds.imported(value.func, outer) or ""):
            short = constant(argument(value, "fast_dev_run")) is True
            return constant(argument(value, "max_epochs")) != 1 and not short
    return False


def _returned_by_hooks(file: SemanticModel) -> Iterator[tuple[ast.expr, Block]]:
    """What `train_dataloader` and `val_dataloader` of Lightning's classes return."""
    for cls in file.outline.classes.values():
        hooks = [function for name in LIGHTNING_LOADERS for function in _hook(cls, name)]
        if hooks and _is_of_lightning(file, cls, _DEEPEST):
            for function in hooks:
                for place in function.returns:
                    if isinstance(place.node, ast.Return) and place.node.value is not None:
                        yield place.node.value, place.block


def _hook(cls: Class, name: str) -> Iterator[Function]:
    """The method of a name, or those that are assigned to it: `self.train_dataloader = self._train_dataloader`."""
    if name in cls.methods:
        yield cls.methods[name]
    for binding in cls.attributes.get(name, []):
        match binding.value:
            case ast.Attribute(value=ast.Name(id="self"), attr=method) if method in cls.methods:
                yield cls.methods[method]


def _is_of_lightning(file: SemanticModel, cls: Class, depth: int) -> bool:
    for base in cls.node.bases:
        if LIGHTNING_CLASS.search(file.kinds.imported(base, cls.outside) or ""):
            return True
        if isinstance(base, ast.Name) and depth:
            inner = file.outline.classes.get(last_name(base))
            if inner is not None and inner is not cls and _is_of_lightning(file, inner, depth - 1):
                return True
    return False
