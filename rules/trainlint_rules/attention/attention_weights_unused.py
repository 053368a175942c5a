"""TRN703."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Place, Scope
from trainlint.analysis.syntax.names import argument, constant, has_unpacked_arguments, nodes_in
from trainlint.analysis.syntax.uses import assigned_target, loads, own_nodes
from trainlint.finding import Finding, Fix, Safety, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers
from trainlint_rules.attention.idioms.built import calls_of

_MODULE = ("torch.nn.MultiheadAttention", "torch.nn.modules.activation.MultiheadAttention")
_NEED_WEIGHTS = 4
"""The place of `need_weights` among the arguments."""
_HOOKED = lazy(r"register_forward_hook|average_attn_weights")


class AttentionWeightsUnused(Rule):
    """`nn.MultiheadAttention` computes attention weights that nobody reads

    ## Why
    `need_weights` is True by default: the module then multiplies queries with keys, softens the product and multiplies
    with the values in a kernel each, and stores the matrix of all queries by all keys, to return its average over the
    heads. With `need_weights=False` it calls `scaled_dot_product_attention`, which never stores that matrix. This is
    so in training, too, not only on the fast path for inference.

    ## Example
    ```python
    import torch
    from torch import nn


    class Block(nn.Module):
        def __init__(self, width, heads):
            super().__init__()
            self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
            self.norm = nn.LayerNorm(width)

        def forward(self, x, padding):
            attended, _ = self.attention(x, x, x, key_padding_mask=padding)
            return self.norm(x + attended)
    ```

    ## Use instead
    ```python
    import torch
    from torch import nn


    class Block(nn.Module):
        def __init__(self, width, heads):
            super().__init__()
            self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
            self.norm = nn.LayerNorm(width)

        def forward(self, x, padding):
            attended, _ = self.attention(x, x, x, key_padding_mask=padding, need_weights=False)
            return self.norm(x + attended)
    ```

    ## Stays silent
    Where the weights are read, returned or kept; where `need_weights` is given, or may be among `**kwargs`; where the
    file registers forward hooks, which may read them; for classes that only share the name.

    ## Fix safety
    Mathematically the same; results differ in the last bits, and dropout draws other random numbers. Where a mask
    hides all keys of a query, the result was NaN and is finite now (torch 2.13; older versions may give NaN, too).

    ## Confirmed by
    `aten::softmax` between two `aten::bmm` inside of the module, and after the fix
    `aten::scaled_dot_product_attention`.

    ## Gain
    Memory for activations that no longer grows with the square of the sequence, where a fused kernel takes the masks
    and the data type; the documentation of `nn.MultiheadAttention` says to set it "for best performance". Not measured
    here; nothing to speak of for sequences of some dozens of elements.

    ## References
    - `nn.MultiheadAttention`: https://docs.pytorch.org/docs/stable/generated/torch.nn.MultiheadAttention.html
    """

    code = "TRN703"
    name = "attention-weights-unused"
    severity = Severity.WARNING
    fix_safety = Safety.NUMERICS
    heat_matters = False
    triggers = Triggers(calls=frozenset({"MultiheadAttention"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find calls of modules built here whose second result goes nowhere."""
        if site.origin(site.call.func) not in _MODULE or site.file.says(_HOOKED):
            return
        for place in calls_of(site.file, site.place):
            call = place.node
            assert isinstance(call, ast.Call)
            given = argument(call, "need_weights", _NEED_WEIGHTS)
            if has_unpacked_arguments(call) or (given is not None and constant(given) is not True):
                continue
            if _drops_weights(place):
                yield self.finding(
                    site.at(call, place.block),
                    "nobody reads the attention weights of this call, but for their sake it stores a matrix of all "
                    "queries by all keys; pass `need_weights=False`",
                    confidence=0.5 if is_test_path(site.path) else 0.9,
                    fix=partial(_fix, site, call, given),
                )


def _drops_weights(place: Place) -> bool:
    """Whether nobody reads the second thing that a call gives, the weights."""
    statement, scope = place.statement, place.block.scope
    for part in own_nodes(statement):
        if isinstance(part, ast.Subscript) and part.value is place.node:
            return constant(part.slice) == 0
    match assigned_target(statement, place.node):
        case None:
            return isinstance(statement, ast.Expr) and statement.value is place.node
        case ast.Tuple(elts=[_, weights]) | ast.List(elts=[_, weights]):
            return isinstance(weights, ast.Name) and not any(True for _ in loads(scope.node, weights.id))
        case ast.Name(id=name):
            return _reads_first_alone(scope, name)
        case _:
            return False


def _reads_first_alone(scope: Scope, name: str) -> bool:
    """Whether all reads of a name that is bound once are `name[0]`, and there is one."""
    owner = scope.owner(name)
    taken = [part for part in nodes_in(scope.node) if isinstance(part, ast.Subscript)]
    firsts = {part.value for part in taken if constant(part.slice) == 0}
    reads = {node for node, _ in loads(scope.node, name)}
    return owner is not None and len(owner.bindings[name]) == 1 and bool(reads) and reads <= firsts


def _fix(site: Site, call: ast.Call, given: ast.expr | None) -> Fix | None:
    if argument(call, "is_causal", 7) is not None:
        return None
    if given is not None and not any(keyword.arg == "need_weights" for keyword in call.keywords):
        return None
    from trainlint.fixing.rewrite import attempt, set_keyword

    return attempt(
        lambda: Fix(
            "Ask for no attention weights",
            (set_keyword(site.source, call, "need_weights", "False"),),
            Safety.NUMERICS,
        )
    )
