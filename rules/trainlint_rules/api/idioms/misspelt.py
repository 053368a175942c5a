"""Misspelt names of `requires_grad`, and attributes that only look like one."""

from __future__ import annotations

import ast

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import dotted, last_name, nodes_in
from trainlint.contract.guard import guard

TYPOS = frozenset({"require_grad", "require_grads", "requires_grads", "requiers_grad", "requires_gard"})


@guard
def of_own_class(site: Site) -> bool:
    """A class sets the attribute on itself (`self`, `cls`)."""
    return isinstance(site.node, ast.Attribute) and dotted(site.node.value) in ("self", "cls")


@guard
def read_elsewhere(site: Site) -> bool:
    """The file reads an attribute of this name, which is the project's own then, as `config.require_grad`."""
    name = last_name(site.node)
    same = (node for node in nodes_in(site.file.tree) if isinstance(node, ast.Attribute) and node.attr == name)
    return name in TYPOS and any(isinstance(node.ctx, ast.Load) for node in same)
