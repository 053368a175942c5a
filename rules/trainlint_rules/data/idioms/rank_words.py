"""Signs that each process gets its own part of the data."""

from __future__ import annotations

import ast
import re

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, last_name, names_in, nodes_in
from trainlint.contract.guard import guard
from trainlint.patterns import lazy
from trainlint_rules.data.idioms.datasets import origins

_RANK = lazy(r"rank|world_?size|num_procs|process_index|dist", re.IGNORECASE)
_SHARE = lazy(r"shard|num_replicas|partition|by_node|sampler", re.IGNORECASE)
_MADE_UP = lazy(r"random|dummy|fake|synthetic|toy|mock|bench", re.IGNORECASE)


def made_of(site: Site) -> list[ast.expr]:
    """The expressions that made the dataset of the loader that is built at a place."""
    dataset = argument(site.call, "dataset", 0)
    return [node for node, _ in origins(site.file, dataset, site.block)] if dataset is not None else []


@guard
def speaks_of_ranks(site: Site) -> bool:
    """The code around the loader or its dataset speaks of ranks, shards or a sampler for them."""
    names = [name for node in made_of(site) for name in names_in(node)]
    if any(_RANK.search(name) or _SHARE.search(name) for name in names):
        return True
    function = site.file.outline.enclosing(site.block)
    return any(_shares_out(node) for node in nodes_in(function.node if function is not None else site.file.tree))


@guard
def is_made_up(site: Site) -> bool:
    """The data is made up, or drawn anew in each process."""
    function = site.file.outline.enclosing(site.block)
    makers = {last_name(node.func) for node in made_of(site) if isinstance(node, ast.Call)}
    return any(_MADE_UP.search(name) for name in (*makers, function.name if function is not None else ""))


def _shares_out(node: ast.AST) -> bool:
    """Whether a node speaks of shares of the data, or takes an item by the rank."""
    if isinstance(node, ast.Name | ast.Attribute):
        return bool(_SHARE.search(last_name(node)))
    return isinstance(node, ast.Subscript) and any(_RANK.search(name) for name in names_in(node.slice))
