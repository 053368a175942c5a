"""Deep copies of models, and training that makes them by design."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.names import last_name
from trainlint.analysis.types.values import Kind
from trainlint.analysis.types.vocabulary import CRITERION_NAME
from trainlint.contract.guard import guard
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.site import Site

_LEARNS_TO_LEARN = lazy(r"maml|(^|_)(meta|inner|fast|task|episode|client|clients)($|_)", re.IGNORECASE)


def is_whole_model(site: Site, copied: ast.expr) -> bool:
    """Whether an expression is a module or the state of one."""
    is_state = isinstance(copied, ast.Call) and last_name(copied.func) == "state_dict"
    return is_state or site.value(copied).kind is Kind.MODULE


@guard
def copies_loss_function(site: Site) -> bool:
    """It copies a loss function, which is small."""
    copied = site.call.args[0]
    return not isinstance(copied, ast.Call) and (
        site.value(copied).loss_function or bool(CRITERION_NAME.search(last_name(copied)))
    )


@guard
def trains_copies_by_design(site: Site) -> bool:
    """A name says meta-learning or federated learning, which train copies on purpose."""
    names = [site.path.rpartition("/")[2], site.function.name if site.function is not None else ""]
    names += [last_name(loop.node.target) for loop in site.block.loops() if isinstance(loop.node, ast.For)]
    return any(_LEARNS_TO_LEARN.search(name) for name in names)
