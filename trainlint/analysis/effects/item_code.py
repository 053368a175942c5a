"""What the code that makes the items or batches of a data loader shows: sparse tensors."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.names import last_name, nodes_in
from trainlint.analysis.types.item_facts import ItemFacts
from trainlint.analysis.types.unpinnable import Unpinnable, unpinnable_by
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

_SPARSE = lazy(r"sparse|(^|_)(csr|csc|bsr|bsc|coo|nested)($|_)", re.IGNORECASE)
_MOST_FUNCTIONS = 30
"""How many functions are read for one loader."""


def calls_of_items(file: SemanticModel, nodes: Iterable[ast.AST]) -> Iterator[ast.Call]:
    """The calls in definitions of a file, and in the functions of the file that they call."""
    for root in with_called(file, nodes):
        yield from (node for node in nodes_in(root) if isinstance(node, ast.Call))


def item_facts(file: SemanticModel, nodes: Iterable[ast.AST]) -> ItemFacts:
    """What definitions of a file show, with the functions of the file that they call."""
    calls = list(calls_of_items(file, nodes))
    return ItemFacts(
        device=any(unpinnable_by(file, call) is Unpinnable.ON_DEVICE for call in calls),
        sparse=any(_SPARSE.search(last_name(call)) for call in calls),
    )


def with_called(file: SemanticModel, nodes: Iterable[ast.AST]) -> tuple[ast.AST, ...]:
    """These definitions, and the functions of the file that they call at any distance."""
    found = dict.fromkeys(nodes)
    waiting = list(found)
    while waiting and len(found) < _MOST_FUNCTIONS:
        for part in nodes_in(waiting.pop()):
            edge = file.graph.callee.get(part)
            if edge is not None and edge.function.node not in found:
                found[edge.function.node] = None
                waiting.append(edge.function.node)
    return tuple(found)
