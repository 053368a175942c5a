"""`saved_variables` of autograd's context, of which PyTorch warns in each backward."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.syntax.blocks import Function, Place
from trainlint.analysis.syntax.names import nodes_in

OLD = "saved_variables"
NEW = "saved_tensors"
_FUNCTIONS = ("torch.autograd.Function", "torch.autograd.function.Function")


def saved_variables(file: SemanticModel) -> Iterator[Place]:
    """Where the `backward` of a function of autograd reads them from its first parameter."""
    for function in file.outline.functions:
        if function.name != "backward" or not function.parameters or not _is_of_autograd(file, function):
            continue
        context = function.parameters[0].arg
        for statement, block in file.outline.block_of.items():
            if isinstance(statement, ast.Assign | ast.Expr | ast.Return) and block.within(function.body):
                for node in nodes_in(statement):
                    match node:
                        case ast.Attribute(value=ast.Name(id=name), attr=attribute):
                            if name == context and attribute == OLD:
                                yield Place(node, block, statement)


def _is_of_autograd(file: SemanticModel, function: Function) -> bool:
    owner = function.owner
    if owner is None or function.takes_object:
        return False
    return any(file.outline.imported(base, owner.outside) in _FUNCTIONS for base in owner.node.bases)
