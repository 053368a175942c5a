"""`saved_variables` of autograd's context, of which PyTorch warns in each backward."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.names import nodes_in

OLD = "saved_variables"
NEW = "saved_tensors"


def saved_variables(file: SemanticModel) -> Iterator[Place]:
    """Where a `backward` reads them from its first parameter."""
    for function in file.outline.functions:
        if function.name != "backward" or not function.parameters:
            continue
        context = function.parameters[0].arg
        for statement, block in file.outline.block_of.items():
            if isinstance(statement, ast.Assign | ast.Expr | ast.Return) and block.within(function.body):
                for node in nodes_in(statement):
                    match node:
                        case ast.Attribute(value=ast.Name(id=name), attr=attribute):
                            if name == context and attribute == OLD:
                                yield Place(node, block, statement)
