"""What `torch.tensor` is given: a tensor, or perhaps a list of numbers under the same name."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.names import argument, has_unpacked_arguments
from trainlint.analysis.types.values import Origin
from trainlint.contract.guard import guard

if TYPE_CHECKING:
    from trainlint.analysis.site import Site


@guard
def converts_itself(site: Site) -> bool:
    """The result replaces its own input, as when a list becomes a tensor."""
    given, statement = copied_tensor(site), site.statement
    if not isinstance(statement, ast.Assign) or not isinstance(given, ast.Name | ast.Attribute | ast.Subscript):
        return False
    return any(ast.unparse(target) == ast.unparse(given) for target in statement.targets)


def copied_tensor(site: Site) -> ast.expr | None:
    """What a call of `torch.tensor` is given, if it surely is a tensor, and not by its name or on some ways only."""
    given = argument(site.call, "data", 0)
    if given is None or has_unpacked_arguments(site.call):
        return None
    value = site.value(given)
    return given if value.is_tensor and value.proved and value.origin is not Origin.BATCH else None
