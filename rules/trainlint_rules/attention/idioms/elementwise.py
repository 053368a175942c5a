"""Formulas of element-wise operations, found from one of their functions."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import last_name, names_in, nodes_in, position
from trainlint.contract.guard import early_guard, guard
from trainlint.patterns import lazy
from trainlint_rules.attention.idioms.norms import written_gelu, written_norm

CURVES = frozenset("sigmoid tanh exp softplus silu gelu erf relu elu mish logsigmoid".split())
"""Where a chain is looked for: what activations and gates are made of."""
_FUNCTIONS = frozenset(
    "sigmoid tanh exp log log1p expm1 relu softplus silu gelu erf sqrt rsqrt square pow sin cos abs clamp where "
    "logsigmoid elu leaky_relu mish hardtanh reciprocal".split()
)
_SIGNS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)
_SMALL = lazy(
    r"box|anchor|loss|prob|logit|score|alpha|beta|sigma|time|freq|angle|coord|schedule|snr|width|height|(^|_)[whst]\d?$",
    re.IGNORECASE,
)


@guard
def of_few_numbers(formula: Site) -> bool:
    """The names say that there are few values: one per box, sample, class or time step."""
    return isinstance(formula.node, ast.expr) and any(_SMALL.search(name) for name in names_in(formula.node))


@early_guard
def norm_or_gelu(site: Site) -> bool:
    """The formula is a norm or a GELU (TRN710)."""
    return written_gelu(site.place) is not None or written_norm(site.place) is not None


def chain(site: Site) -> ast.expr | None:
    """The largest element-wise formula of a statement that a call stands in as the first of its curves."""
    found = _formulas(site.file, site.statement).get(site.call)
    return found if found is not None and _first_curve(site.file, found) is site.call else None


@once
def _formulas(file: SemanticModel, statement: ast.stmt) -> dict[ast.AST, ast.expr]:
    """Each operation of a statement → the largest formula that it is a part of."""
    found: dict[ast.AST, ast.expr] = {}
    stack: list[ast.AST] = [statement]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.expr) and node not in found and _is_elementwise(node):
            found |= dict.fromkeys(_members(node), node)
        stack.extend(ast.iter_child_nodes(node))
    return found


def operations(formula: ast.expr) -> int:
    """How many operations have a tensor among what they are given, as far as names can tell: none of numbers alone."""
    holds_values: dict[ast.expr, bool] = {}
    for node in reversed(_members(formula)):  # what an operation is given comes before it
        holds_values[node] = any(
            holds_values[part] if part in holds_values else any(True for _ in _values(part))
            for part in _inputs_of(node)
        )
    return sum(holds_values.values())


def _is_elementwise(node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, _SIGNS)
    return isinstance(node, ast.Call) and last_name(node.func) in _FUNCTIONS


def _members(formula: ast.expr) -> list[ast.expr]:
    """The operations of a formula, outer ones first; what stands in another call, such as a layer, is another one."""
    found = [formula]
    for node in found:
        found += [part for part in _operands(node) if _is_elementwise(part)]
    return found


def _operands(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.Call):
        return [*node.args, *([node.func.value] if isinstance(node.func, ast.Attribute) else [])]
    return []


def _inputs_of(node: ast.expr) -> list[ast.expr]:
    """All that an operation is made of."""
    if not isinstance(node, ast.Call):
        return _operands(node)
    of_name = [] if isinstance(node.func, ast.Attribute) else [node.func]
    return [*_operands(node), *of_name, *(keyword.value for keyword in node.keywords)]


def _values(node: ast.expr) -> Iterator[ast.Name]:
    """The names in an operation that hold values, and not modules or the object."""
    for part in nodes_in(node):
        if isinstance(part, ast.Name) and part.id not in ("torch", "F", "math", "np", "nn", "self"):
            yield part


@once
def _first_curve(file: SemanticModel, formula: ast.expr) -> ast.Call | None:
    curves = [node for node in _members(formula) if isinstance(node, ast.Call) and last_name(node.func) in CURVES]
    return min(curves, key=position, default=None)
