"""What the test of a device value decides: only then is it known what can stand in its place."""

from __future__ import annotations

import ast
from enum import Enum, auto

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import dotted, end_position, last_name, nodes_in, position


class Decision(Enum):
    """What a test decides."""

    CHECKS = auto()
    """Whether the program stops with an error."""
    SKIPS = auto()
    """Whether the rest of the function or of the round is left out."""
    ENDS = auto()
    """Whether a loop ends."""
    UPDATES = auto()
    """Whether the backward pass or the optimizer's step runs."""
    FILLS = auto()
    """Whether values under a mask are overwritten, which changes nothing where the mask has no hit."""
    MARKS = auto()
    """Whether a flag is set or something is counted: the names that are assigned get numbers or truth values."""
    ASSIGNS = auto()
    """Which values a name gets."""
    BRANCHES = auto()
    """Which code runs, in any other way."""


_UPDATING = frozenset({"step", "backward", "zero_grad"})


def decision(site: Site, read: ast.AST) -> Decision | None:
    """What the test that a read stands in decides; None for a read that is in the test of no statement."""
    return decision_of(site.file, site.statement, read)


def decision_of(file: SemanticModel, statement: ast.stmt, read: ast.AST) -> Decision | None:
    """The same for a read in any statement."""
    if isinstance(statement, ast.Assert):
        return Decision.CHECKS
    if not isinstance(statement, ast.If | ast.While) or not isinstance(read, ast.expr):
        return None
    if not position(statement.test) <= position(read) < end_position(statement.test):
        return None
    return _of_branch(file, statement) if isinstance(statement, ast.If) else Decision.BRANCHES


@once
def _of_branch(file: SemanticModel, statement: ast.If) -> Decision:
    body = statement.body
    if any(isinstance(part, ast.Raise) for part in (*body, *statement.orelse)):
        return Decision.CHECKS
    if isinstance(body[-1], ast.Break):
        return Decision.ENDS
    if isinstance(body[-1], ast.Continue | ast.Return):
        return Decision.SKIPS
    if _updates(file, statement):
        return Decision.UPDATES
    if not statement.orelse and len(body) == 1 and _fills_by_mask(body[0]):
        return Decision.FILLS
    if not statement.orelse and all(map(_sets_flag_or_counter, body)):
        return Decision.MARKS
    assigns = all(isinstance(item, ast.Assign | ast.AugAssign | ast.AnnAssign) for item in body)
    return Decision.ASSIGNS if assigns else Decision.BRANCHES


def _updates(file: SemanticModel, statement: ast.If) -> bool:
    """Whether a branch holds a call that belongs to a training step."""
    if _UPDATING.isdisjoint(file.outline.calls):
        return False
    return any(isinstance(part, ast.Call) and last_name(part.func) in _UPDATING for part in nodes_in(statement))


def _sets_flag_or_counter(statement: ast.stmt) -> bool:
    """`bad = True` and `count += 1`."""
    match statement:
        case ast.Assign(targets=[ast.Name()], value=ast.Constant()):
            return True
        case ast.AugAssign(target=ast.Name(), value=ast.Constant()):
            return True
    return False


def _fills_by_mask(statement: ast.stmt) -> bool:
    """`x[mask] = 0` and `x.masked_fill_(mask, 0)`."""
    match statement:
        case ast.Assign(targets=[ast.Subscript()]):
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="masked_fill_"))):
            return True
    return False


def replaces_tested(statement: ast.If) -> bool:
    """Whether a branch gives a new value to what its test asks about, or to a part of it."""
    targets = [target for item in statement.body if isinstance(item, ast.Assign) for target in item.targets]
    if not targets:
        return False  # without a walk of the test, which is asked about once for each read in it
    asked = {dotted(part) for part in nodes_in(statement.test) if isinstance(part, ast.Name | ast.Attribute)}
    return any(dotted(part.value if isinstance(part, ast.Subscript) else part) in asked for part in targets)
