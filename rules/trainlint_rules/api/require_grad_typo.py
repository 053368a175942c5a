"""TRN807."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import dotted, nodes_in
from trainlint.contract.declared_rule import DeclaredRule, Match
from trainlint.finding import Severity
from trainlint.rule import Triggers

_METHOD = "requires_grad_"
_NAMES = frozenset({"require_grad", "require_grads", "requires_grads", "requiers_grad", "requires_gard", _METHOD})


class RequireGradTypo(DeclaredRule):
    """`x.require_grad = ...` sets an attribute that nobody reads; the flag is `requires_grad`

    ## Why
    A tensor takes any attribute, so the misspelled name raises nothing and does nothing: weights that were to be frozen
    go on being trained, with their gradients and optimizer state, or an input that was to have a gradient has none.
    Assigning to `requires_grad_`, the method, does the same.

    ## Example
    ```python
    def freeze(model):
        for parameter in model.encoder.parameters():
            parameter.require_grad = False
        model.embedding.weight.requires_grad_ = False
    ```

    ## Use instead
    ```python
    def freeze(model):
        for parameter in model.encoder.parameters():
            parameter.requires_grad = False
        model.embedding.weight.requires_grad = False
    ```

    A module has no such flag, only the method: `model.encoder.require_grad = False` must become
    `model.encoder.requires_grad_(False)`. The fix writes that wherever the code does not show a tensor.

    ## Confirmed by
    Parameters that the code means to freeze have `requires_grad` true, and a gradient after the first backward pass.

    ## Gain
    What freezing promises: no gradients and no optimizer state for these weights, 12 bytes for each float32 parameter
    under Adam (4 for the gradient, 8 for two moments). Nothing where the weights are in no graph.

    ## References
    - Setting requires_grad: https://docs.pytorch.org/docs/stable/notes/autograd.html#setting-requires-grad
    """

    code = "TRN807"
    name = "require-grad-typo"
    severity = Severity.ERROR
    aliases = ("TOR002",)
    also = Triggers(assignments=_NAMES)
    in_tests = True
    message = "`{name}` {what}, so assigning to it changes nothing"
    help = "write `requires_grad`"

    def found(self, site: Site) -> Iterator[Match]:
        """Attributes that are set by a name that is almost the flag's, and that the file never reads."""
        read = {node.attr for node in nodes_in(site.file.tree) if isinstance(node, ast.Attribute) and _is_read(node)}
        for node in nodes_in(site.statement) if isinstance(site.statement, ast.Assign | ast.AnnAssign) else ():
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and node.attr in _NAMES - read:
                what = "is a method" if node.attr == _METHOD else "is no attribute of a tensor"
                if dotted(node.value) not in ("self", "cls"):
                    yield Match(site.at(node), fields={"name": node.attr, "what": what})


def _is_read(node: ast.Attribute) -> bool:
    return isinstance(node.ctx, ast.Load) and node.attr != _METHOD
