"""Whose `empty_cache` is PyTorch's, and reasons for calling it."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import nodes_in
from trainlint.contract.guard import guard
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel
    from trainlint.analysis.site import Site
    from trainlint.analysis.syntax.blocks import Block

_NAMED_FOR_IT = lazy(r"(?<![^\W_])ooms?(?![^\W_])|out_?of_?memory", re.IGNORECASE)
_OUT_OF_MEMORY = lazy(r"OutOfMemory|RuntimeError")


@guard
def before_retry(site: Site) -> bool:
    """The code around it catches running out of memory and tries again."""
    loop = site.block.innermost_loop()
    return (loop is not None and _catches_errors(site.file, loop)) or _follows_a_first_try(site)


def _follows_a_first_try(site: Site) -> bool:
    """Whether a `with` that is named for running out of memory ends before it in the same function."""
    if site.function is None:
        return False
    return any(
        isinstance(node, ast.With)
        and (node.end_lineno or 0) < site.statement.lineno
        and any(_NAMED_FOR_IT.search(ast.unparse(item.context_expr)) for item in node.items)
        for node in nodes_in(site.function.body.node)
    )


@once
def _catches_errors(file: SemanticModel, loop: Block) -> bool:
    return any(
        handler.type is not None and _OUT_OF_MEMORY.search(ast.unparse(handler.type))
        for statement in nodes_in(loop.node)
        if isinstance(statement, ast.Try)
        for handler in statement.handlers
    )
