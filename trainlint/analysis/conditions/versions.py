"""Tests of versions, and of what a library offers: `torch.__version__ >= ...`, `hasattr(torch, "compile")`."""

from __future__ import annotations

import ast
import re
from functools import lru_cache

from trainlint.analysis.syntax.names import NAMES
from trainlint.patterns import lazy

_VERSION = lazy(
    r"version|hasattr|find_spec|signature|torch_?\d|torch_(ge|gt|le|lt|greater|less)|_TORCH|TORCH_", re.IGNORECASE
)


def module_asked_for_names(test: ast.AST) -> ast.expr | None:
    """What `"name" in dir(module)`, `in vars(module)` or `in module.__dict__` asks about; None for other tests."""
    match test:
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[names]):
            match names:
                case ast.Call(func=ast.Name(id="dir" | "vars"), args=[module]):
                    return module
                case ast.Attribute(attr="__dict__", value=module):
                    return module
    return None


@lru_cache(NAMES)
def speaks_of_version(name: str) -> bool:
    """Whether a name or a string in a test is about versions, or what a module has."""
    return bool(_VERSION.search(name))
