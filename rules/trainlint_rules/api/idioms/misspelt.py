"""Misspelt names of `requires_grad`, and attributes that only look like one."""

from __future__ import annotations

import ast

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import How
from trainlint.analysis.syntax.names import dotted, last_name, nodes_in, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.types.evidence import Rank
from trainlint.contract.guard import guard
from trainlint.finding import Edit

_PARAMETERS = frozenset({"weight", "bias"})
_OF_PARAMETERS = frozenset({"parameters", "named_parameters"})
TYPOS = frozenset({"require_grad", "require_grads", "requires_grads", "requiers_grad", "requires_gard"})


@guard
def of_own_class(site: Site) -> bool:
    """A class sets the attribute on itself (`self`, `cls`)."""
    return isinstance(site.node, ast.Attribute) and dotted(site.node.value) in ("self", "cls")


@guard
def read_elsewhere(site: Site) -> bool:
    """The file reads this attribute, so it is the project's own (`config.require_grad`)."""
    name = last_name(site.node)
    same = (node for node in nodes_in(site.file.tree) if isinstance(node, ast.Attribute) and node.attr == name)
    return name in TYPOS and any(isinstance(node.ctx, ast.Load) for node in same)


def is_surely_tensor(site: Site, node: ast.expr) -> bool:
    """Whether the code shows that something is a tensor: a parameter of a loop over parameters, or a weight or bias."""
    if isinstance(node, ast.Attribute) and node.attr in _PARAMETERS:
        return True
    if isinstance(node, ast.Name):
        for binding in reaching(node.id, site.block, position(node)):
            if binding.how is How.FOR and binding.value is not None and last_name(binding.value) in _OF_PARAMETERS:
                return True
    value = site.value(node)
    return value.is_tensor and value.evidence.kind >= Rank.PASSED


def called_instead(site: Site, target: ast.Attribute, statement: ast.Assign) -> Edit:
    """`x.requires_grad_(value)` in place of the assignment."""
    import libcst as cst

    from trainlint.fixing.rewrite import expression, replace_simple_statement

    method = cst.Attribute(expression(site.source, target.value), cst.Name("requires_grad_"))
    call = cst.Call(method, [cst.Arg(expression(site.source, statement.value))])
    return replace_simple_statement(site.source, statement, cst.Expr(call))
