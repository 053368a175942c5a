"""A log-softmax that an `nll_loss` is given, and what else reads it."""

from __future__ import annotations

import ast
from typing import NamedTuple

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, nodes_in
from trainlint.analysis.syntax.uses import loads
from trainlint.contract.guard import guard
from trainlint_rules.attention.idioms.softened import Softened, loss_given, softened

CLASSES = 1
"""The dimension of the classes, for `nll_loss` and `cross_entropy` alike."""


class LogProbabilities(NamedTuple):
    """What a loss is given."""

    given: ast.expr
    """The log-softmax itself, or a name of it."""
    scores: ast.expr
    made: Softened


def log_probabilities(loss: Site) -> LogProbabilities | None:
    """The log-softmax over the classes that a loss is given."""
    given = loss_given(loss.place)
    made = softened(loss.file, given, loss.block) if given is not None else None
    if given is None or made is None or made.given is None or made.function != "log_softmax":
        return None
    return LogProbabilities(given, made.given, made) if made.dimension in (CLASSES, -1) else None


@guard
def asks_for_type(loss: Site) -> bool:
    """The log-softmax is asked for a data type."""
    found = log_probabilities(loss)
    return found is not None and (len(found.made.call.args) > 2 or argument(found.made.call, "dtype") is not None)


@guard
def used_otherwise(loss: Site) -> bool:
    """Other code uses the log-probabilities too, such as a prediction or a second loss."""
    found = log_probabilities(loss)
    if found is None or found.given is found.made.call:
        return False
    if not isinstance(found.given, ast.Name) or loss.function is None:
        return True
    read_once = sum(1 for _ in loads(loss.function.node, found.given.id)) == 1
    return not (read_once and any(part is found.made.call for part in nodes_in(loss.function.node)))
