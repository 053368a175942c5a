"""What a wrapper is given."""

from __future__ import annotations

import ast

from trainlint.analysis.tables.module_methods import RETURN_SELF


def unmoved(module: ast.expr) -> ast.expr:
    """A model before `.to(device)` and its like."""
    while isinstance(module, ast.Call) and isinstance(module.func, ast.Attribute) and module.func.attr in RETURN_SELF:
        module = module.func.value
    return module
