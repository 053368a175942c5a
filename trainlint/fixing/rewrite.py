"""What rules call to make edits. Nodes are those of `ast`; what is rewritten, LibCST parses from the smallest piece.

Every helper returns edits for a `Fix` and raises Unfixable where the place cannot be rewritten safely; inside
`attempt` that makes a finding without a fix:

    fix = attempt(lambda: Fix("Pin the memory", (add_keyword(site.source, call, "pin_memory", "True"),), Safety.SAFE))
"""

from __future__ import annotations

from collections.abc import Callable

from trainlint.finding import Fix
from trainlint.fixing.arguments import add_keyword, set_keyword
from trainlint.fixing.bound_names import insert_where_bound
from trainlint.fixing.expressions import append_attribute_call, replace_expression, wrap_in_call
from trainlint.fixing.imports import ensure_import, move_module, move_names
from trainlint.fixing.layout import Unfixable
from trainlint.fixing.segment import expression, replace_simple_statement, simple_statement
from trainlint.fixing.statements import insert_decorator, remove_statement, wrap_in_with

__all__ = [
    "Unfixable",
    "add_keyword",
    "append_attribute_call",
    "attempt",
    "ensure_import",
    "expression",
    "insert_decorator",
    "insert_where_bound",
    "move_module",
    "move_names",
    "remove_statement",
    "replace_expression",
    "replace_simple_statement",
    "set_keyword",
    "simple_statement",
    "wrap_in_call",
    "wrap_in_with",
]


def attempt(make: Callable[[], Fix]) -> Fix | None:
    """The fix that `make` puts together; None where the place is Unfixable, or where LibCST refuses the new code.

    Text that is right where it stands may be wrong where a fix would put it, as a walrus or a comment that was inside
    parentheses. Any other exception is a fault of the fix's own code, and is raised.
    """
    try:
        return make()
    except Unfixable:
        return None
    except Exception as error:
        import libcst as cst

        if isinstance(error, cst.ParserSyntaxError | cst.CSTValidationError):
            return None
        raise
