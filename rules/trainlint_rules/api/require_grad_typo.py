"""TRN807."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name, nodes_in, root_name
from trainlint.finding import Edit, Finding, Fix, Safety, Severity
from trainlint.rule import Rule, Triggers

_TYPOS = frozenset({"require_grad", "require_grads", "requires_grads", "requiers_grad", "requires_gard"})
_METHOD = "requires_grad_"


class RequireGradTypo(Rule):
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

    For a whole module, `model.encoder.requires_grad_(False)` is one line.

    ## Stays silent
    Where the file reads an attribute of this name: it is the project's own then, as an option `config.require_grad`;
    and for attributes that a class of the file sets on `self`.

    ## Fix safety
    The flag begins to work: what was trained until now is frozen, or the other way round. Losses change.

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
    fix_safety = Safety.UNSAFE
    heat_matters = False
    aliases = ("TOR002",)
    triggers = Triggers(assignments=_TYPOS | {_METHOD})

    def check(self, site: Site) -> Iterator[Finding]:
        """Find attributes that are set by a name that is almost the flag's."""
        statement = site.statement
        if not isinstance(statement, ast.Assign | ast.AnnAssign):
            return
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for target in targets:
            name = last_name(target)
            if not isinstance(target, ast.Attribute) or (name not in _TYPOS and name != _METHOD):
                continue
            if isinstance(target.value, ast.Name) and root_name(target) in ("self", "cls"):
                continue
            if name in _TYPOS and _is_read(site, name):
                continue
            what = "is a method, and assigning to it" if name == _METHOD else "is no attribute of a tensor, so this"
            message = f"`{name}` {what} changes nothing: write `requires_grad`"
            yield self.finding(site, message, at=target, confidence=0.95, fix=partial(_spelled, site, target))


def _is_read(site: Site, name: str) -> bool:
    return any(
        isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Load)
        for node in nodes_in(site.file.tree)
    )


def _spelled(site: Site, target: ast.Attribute) -> Fix | None:
    stop = site.source.offset(target.end_lineno or target.lineno, target.end_col_offset or 0)
    start = stop - len(target.attr)
    if site.source.text[start:stop] != target.attr:
        return None
    return Fix("Set requires_grad", (Edit(start, stop, "requires_grad"),), Safety.UNSAFE)
