"""`_register_pytree_node`, whose public name takes fewer arguments by position."""

from __future__ import annotations

import ast
from dataclasses import replace

from trainlint.analysis.programs.old_names.deprecated_uses import DeprecatedUse
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.syntax.names import has_unpacked_arguments, last_name

_OLD = "_register_pytree_node"
_NEW = "torch.utils._pytree.register_pytree_node"
_BY_POSITION = 3
"""The type and two functions; the old name took two more by position, which are of no use now."""
_SHARED = frozenset(
    "cls flatten_fn unflatten_fn serialized_type_name to_dumpable_context from_dumpable_context".split()
)
"""What both take by keyword."""


def with_public_name(file: SemanticModel, use: DeprecatedUse) -> DeprecatedUse | None:
    """The use with the public name for an exact replacement; None where a call in the file gives what it refuses."""
    if use.deprecation.symbol.rpartition(".")[2] != _OLD or not _only_shared_arguments(file.tree):
        return None
    return replace(use, deprecation=use.deprecation._replace(exact=True, replacement=_NEW))


def _only_shared_arguments(tree: ast.Module) -> bool:
    calls = {node.func: node for node in ast.walk(tree) if isinstance(node, ast.Call)}
    names = (node for node in ast.walk(tree) if isinstance(node, ast.Name | ast.Attribute) and last_name(node) == _OLD)
    return all(name in calls and _is_shared(calls[name]) for name in names)


def _is_shared(call: ast.Call) -> bool:
    if has_unpacked_arguments(call) or len(call.args) > _BY_POSITION:
        return False
    return all(keyword.arg in _SHARED for keyword in call.keywords)
