"""Names that hold a number of steps."""

from __future__ import annotations

import ast
import re
from functools import lru_cache

from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.syntax.names import NAMES, constant, last_name, nodes_in
from trainlint.analysis.syntax.reaching import single_value
from trainlint.patterns import lazy

_COUNTER = lazy(
    r"(^|_)(i|j|k|n|it|itr|iter|iters|iteration|step|steps|idx|index|batch|count|counter|num_batch)($|_|s$)",
    re.IGNORECASE,
)
_NO_COUNTER = lazy(r"epoch|gpu|device|class|node|proc|worker|rank", re.IGNORECASE)
"""Numbers of other things than steps: `n_gpu == 1` holds in all steps or in none."""


def is_counter(node: ast.expr) -> bool:
    """Whether an expression is called like a count of steps, also one more or less than it."""
    if (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, (ast.Add, ast.Sub))
        and isinstance(constant(node.right), int)
    ):
        node = node.left  # the same counter, from one instead of zero
    return isinstance(node, (ast.Name, ast.Attribute)) and _counts(last_name(node))


def is_sum_of_counts(node: ast.expr, block: Block) -> bool:
    """Whether a name holds the number of all steps so far, as `done = i + len(loader) * epoch` does."""
    made = single_value(node, block)
    if not isinstance(made, ast.BinOp) or not isinstance(made.op, ast.Add):
        return False
    sides = (made.left, made.right)
    products = [side for side in sides if isinstance(side, ast.BinOp) and isinstance(side.op, ast.Mult)]
    return len(products) == 1 and any(is_counter(side) for side in sides if side is not products[0])


def words(node: ast.expr) -> list[str]:
    """The names and strings in an expression."""
    parts = nodes_in(node)
    names = [last_name(part) for part in parts if isinstance(part, (ast.Name, ast.Attribute, ast.Subscript))]
    return names + [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]


@lru_cache(NAMES)
def _counts(name: str) -> bool:
    return bool(_COUNTER.search(name)) and not _NO_COUNTER.search(name)
