"""Values that are computed only to be shown: what they hold goes to logs and meters, and nowhere else."""

from __future__ import annotations

import ast
import re

from trainlint.analysis.syntax.blocks import Function
from trainlint.analysis.syntax.names import last_name, position
from trainlint.analysis.syntax.uses import loads, own_nodes
from trainlint.analysis.tables.collectives import BRINGING_TOGETHER
from trainlint.analysis.tables.host_reads import TO_HOST
from trainlint.analysis.tables.iterables import only_iterates
from trainlint.analysis.tables.ranks import NUMBER_FUNCTIONS
from trainlint.patterns import lazy

_LOGS = lazy(
    r"^(print\w*|log\w*|info|debug|warning|add_scalars?|set_postfix\w*|set_description\w*|update|append|write|record\w*|"
    r"display|report\w*|track|add|put_scalars?|format|round|str|extend)$"
)
_SHOWS = lazy(r"(^|_)log(_|$)|metric", re.IGNORECASE)
_KEEPS = TO_HOST | frozenset(
    "float mean sum detach div div_ mul clone squeeze view int len max min sqrt exp log "
    "items values keys dict stack".split()
)
"""Calls whose result is still only a number to be shown."""
_DEEPEST = 4


def is_log(name: str) -> bool:
    """Whether a function or method of this name shows or records what it is given."""
    return bool(_LOGS.search(name) or _SHOWS.search(name))


def _keeps_number(name: str) -> bool:
    return name in _KEEPS or name in NUMBER_FUNCTIONS or name in BRINGING_TOGETHER or only_iterates(name)


def only_logged(function: Function, name: str, after: tuple[int, int], depth: int = _DEEPEST) -> bool:
    """Whether all uses of a name behind a position end in logs, by the names that it is assigned to.

    False where there is no such use: nothing is known of a value that nobody in sight looks at.
    """
    uses = [statement for node, statement in loads(function.node, name) if position(node) > after]
    return bool(uses) and depth > 0 and all(_is_shown(function, item, name, depth) for item in dict.fromkeys(uses))


def _is_shown(function: Function, statement: ast.stmt, name: str, depth: int) -> bool:
    calls = [last_name(node.func) for node in own_nodes(statement) if isinstance(node, ast.Call)]
    if not all(_keeps_number(item) or is_log(item) for item in calls):
        return False
    match statement:
        case ast.Expr():
            return bool(calls)
        case ast.Assign(targets=targets):
            return all(_is_shown_later(function, target, statement, name, depth) for target in targets)
        case ast.AugAssign(target=target):
            return _is_shown_later(function, target, statement, name, depth)
        case _:
            return False


def _is_shown_later(function: Function, target: ast.expr, statement: ast.stmt, name: str, depth: int) -> bool:
    """Whether what is assigned to a target is only shown: it is put into a dictionary, or its name is only logged."""
    if not isinstance(target, ast.Name):
        return isinstance(target, ast.Subscript)
    return target.id == name or only_logged(function, target.id, position(statement), depth - 1)
