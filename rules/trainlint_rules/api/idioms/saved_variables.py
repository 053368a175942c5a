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
        for statement in nodes_in(function.node):
            block = file.outline.block_of.get(statement) if isinstance(statement, ast.stmt) else None
            if block is None or isinstance(statement, ast.For | ast.While | ast.If | ast.With | ast.FunctionDef):
                continue
            for node in nodes_in(statement):
                match node:
                    case ast.Attribute(value=ast.Name(id=name), attr=attribute) if attribute == OLD:
                        if name == context:
                            yield Place(node, block, statement)
