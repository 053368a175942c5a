"""Sizes of layers that do not fill the tiles of tensor cores."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.names import argument, constant, last_name
from trainlint.analysis.syntax.reaching import single_value
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.site import Site

UNIT = 8
"""Sizes in 16 bits should be a multiple of this."""
_VOCABULARY = lazy(r"vocab|num_embeddings|n_?tokens", re.IGNORECASE)
_LARGE = 256
_LARGE_VOCABULARY = 1000


def misaligned_size(site: Site) -> tuple[ast.expr, int] | None:
    """The first large size of a layer that is no multiple of UNIT, and where it is given."""
    for node, least in _sizes(site.call):
        value: ast.expr | None = single_value(node, site.block) if isinstance(node, ast.Name) else node
        size = constant(value)
        if isinstance(size, int) and not isinstance(size, bool) and size >= least and size % UNIT:
            return node, size
    return None


def _sizes(call: ast.Call) -> Iterator[tuple[ast.expr, int]]:
    """The sizes that a product runs along, each with the number from which on it is large.

    The outputs of a linear layer count where they are called after a vocabulary: others may be classes.
    """
    if last_name(call.func) == "Embedding":
        rows, width = argument(call, "num_embeddings", 0), argument(call, "embedding_dim", 1)
    else:
        rows, width = argument(call, "out_features", 1), argument(call, "in_features", 0)
    if rows is not None and _VOCABULARY.search(ast.unparse(rows)):
        yield rows, _LARGE_VOCABULARY
    if width is not None:
        yield width, _LARGE
