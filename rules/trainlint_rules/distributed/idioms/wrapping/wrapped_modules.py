"""What a wrapper is given."""

from __future__ import annotations

import ast

_SAME_MODULE = frozenset({"to", "cuda", "cpu", "train", "eval", "bfloat16", "half", "float"})


def unmoved(module: ast.expr) -> ast.expr:
    """A model before `.to(device)` and its like."""
    while isinstance(module, ast.Call) and isinstance(module.func, ast.Attribute) and module.func.attr in _SAME_MODULE:
        module = module.func.value
    return module
