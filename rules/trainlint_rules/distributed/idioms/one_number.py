"""Tensors of a single number: made of one, or the loss."""

from __future__ import annotations

import ast

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.syntax.names import last_name
from trainlint.analysis.syntax.reaching import single_value
from trainlint.analysis.tables.host_reads import ITEM
from trainlint.analysis.types.values import Kind, Origin

_MADE_OF = frozenset({"tensor", "as_tensor", "IntTensor", "LongTensor", "FloatTensor", "ByteTensor", "DoubleTensor"})
REDUCING = frozenset({"sum", "mean", ITEM.name, "norm", "numel"})
"""Methods that make one number of a tensor."""
_SAME_COUNT = frozenset("to cuda cpu float long int double half bool detach clone contiguous view reshape".split())
_DEEPEST = 6


def is_one_number(file: SemanticModel, node: ast.expr, block: Block, depth: int = 0) -> bool:
    """Whether a tensor surely holds one number: `torch.tensor([count])`, `x.sum()`, a loss.

    What the file does not show the making of is none, so that a shape that is not seen counts as large.
    """
    if depth > _DEEPEST:
        return False
    made = single_value(node, block)
    if made is not None and is_one_number(file, made, block, depth + 1):
        return True
    if isinstance(node, ast.Call):
        name = last_name(node.func)
        if name in _MADE_OF and (file.outline.imported(node.func, block) or "").startswith("torch."):
            return bool(node.args) and _is_number(file, node.args[0], block)
        if isinstance(node.func, ast.Attribute):
            if name in REDUCING and not node.args and not node.keywords:
                return True
            return name in _SAME_COUNT and is_one_number(file, node.func.value, block, depth + 1)
        return False
    return file.kinds.of(node, block).origin is Origin.LOSS or last_name(node).endswith("loss")


def _is_number(file: SemanticModel, node: ast.expr, block: Block) -> bool:
    """What a tensor is made of: a number, or a list of one that is no list itself."""
    if isinstance(node, ast.List | ast.Tuple):
        return len(node.elts) == 1 and not isinstance(node.elts[0], ast.List | ast.Tuple | ast.Starred | ast.ListComp)
    return isinstance(node, ast.Constant) or file.kinds.of(node, block).kind is Kind.NUMBER
