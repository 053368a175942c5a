"""Loaders that a loop builds again and again."""

from __future__ import annotations

import ast
import re

from trainlint.analysis.conditions.loop_heads import names_in_head
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, BlockKind
from trainlint.contract.guard import guard
from trainlint.patterns import lazy
from trainlint_rules.data import LoaderRule
from trainlint_rules.data.idioms.unchanging import unchanging

_COUNTS = lazy(r"epoch|(^|_)step|iter", re.IGNORECASE)
_OPTIONS = ("dataset", "sampler", "batch_sampler", "batch_size", "collate_fn", "num_workers")
"""What makes a loader another one in the next round."""
_DEEPEST = 3


@guard
def changes_between_rounds(site: Site) -> bool:
    """Its data may change from round to round (a fold, a curriculum, collected data)."""
    loader = LoaderRule.loader(site)
    given = [site.file.loaders.option(loader, name) for name in _OPTIONS]
    if any(option.given and option.value is None for option in given):
        return True
    return not all(unchanging(site.file, option.value, loader.block) for option in given if option.value is not None)


@guard
def repeated_otherwise(site: Site) -> bool:
    """The loop around it counts folds, models or the like, not epochs or steps."""
    return not _counts_rounds(site.file, site.block, _DEEPEST)


def _counts_rounds(file: SemanticModel, block: Block, depth: int) -> bool:
    """Whether the loop that repeats a block counts epochs or steps."""
    for outer in block.outwards():
        if isinstance(outer.node, ast.For | ast.While):
            return any(_COUNTS.search(word) for word in names_in_head(outer.node))
        if outer.kind is BlockKind.FUNCTION:
            break
    function = file.outline.enclosing(block)
    edges = file.graph.callers.get(function, []) if function is not None and depth else []
    return any(_counts_rounds(file, edge.place.block, depth - 1) for edge in edges if not edge.passed)
