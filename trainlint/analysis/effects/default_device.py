"""Whether a file may make tensors anywhere but on the host by default, by which `torch.tensor(x)` is no plain copy."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import BlockKind
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.tables.file_words.devices import DEFAULT_PLACES
from trainlint.analysis.types.values import Kind

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel
    from trainlint.analysis.syntax.blocks import Block


@once
def sets_default_device(file: SemanticModel) -> bool:
    """Whether a file calls one of these functions, or enters a device by `with`, for itself or for what it calls."""
    if any(name in file.outline.calls for name in DEFAULT_PLACES):
        return True
    return any(enters_device(file, block) for block in file.outline.blocks if block.kind is BlockKind.WITH)


def enters_device(file: SemanticModel, block: Block) -> bool:
    """Whether a `with` enters a device, so that factories in it work there."""
    items = block.node.items if isinstance(block.node, ast.With) else []
    return any(_is_device(file, item.context_expr, block) for item in items)


def _is_device(file: SemanticModel, node: ast.expr, block: Block) -> bool:
    made = node.func if isinstance(node, ast.Call) else node
    return file.outline.imported(made, block) == "torch.device" or file.kinds.of(node, block).kind is Kind.DEVICE
