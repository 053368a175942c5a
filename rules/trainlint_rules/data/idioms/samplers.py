"""What chooses a loader's rows: samplers, also those inside a batch sampler, as far as the file shows them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.syntax.names import argument, constant, last_name
from trainlint.analysis.tables import samplers
from trainlint.analysis.types.loaders import Loader
from trainlint.contract.guard import early_guard
from trainlint.patterns import lazy
from trainlint_rules.data import LoaderRule
from trainlint_rules.data.idioms.datasets import origins

_ENDLESS = lazy(r"infinit|endless|forever|repeat|cycl|unlimited", re.IGNORECASE)
_DEEPEST = 3


def samplers_behind(file: SemanticModel, loader: Loader) -> list[tuple[ast.expr, Block]]:
    """The expressions that made a loader's sampler and batch sampler, the inner ones included.

    What stands for no sampler, as in `sampler=None`, is left out.
    """
    found: list[tuple[ast.expr, Block]] = []
    for name in ("sampler", "batch_sampler"):
        value = file.loaders.option(loader, name).value
        if value is not None:
            found += _constructors(file, value, loader.block, _DEEPEST)
    return found


def _constructors(file: SemanticModel, node: ast.expr, block: Block, depth: int) -> Iterator[tuple[ast.expr, Block]]:
    for made, outer in origins(file, node, block):
        if constant(made) is None:
            continue
        yield made, outer
        if isinstance(made, ast.Call) and depth and "batch" in last_name(made.func).lower():
            inner = argument(made, "sampler", 0)
            if inner is not None:
                yield from _constructors(file, inner, outer, depth - 1)


def passes_without_end(file: SemanticModel, loader: Loader) -> bool:
    """Whether one pass through a loader is as long as its sampler or dataset likes, so that few runs begin a second."""
    dataset = argument(loader.call, "dataset", 0)
    made = samplers_behind(file, loader)
    if dataset is not None:
        made += origins(file, dataset, loader.block)
    return any(_has_no_end(file, node, block) for node, block in made)


def _has_no_end(file: SemanticModel, node: ast.expr, block: Block) -> bool:
    name = last_name(node)
    if _ENDLESS.search(name):
        return True
    if not isinstance(node, ast.Call):
        return False
    if name == samplers.DRAWN:
        return argument(node, "num_samples", 2) is not None  # drawn with replacement, as many as wanted
    return False


@early_guard
def has_sampler(site: Site) -> bool:
    """The loader has a sampler."""
    options = (site.file.loaders.option(LoaderRule.loader(site), name) for name in ("sampler", "batch_sampler"))
    return any(option.given and constant(option.value) is not None for option in options)
