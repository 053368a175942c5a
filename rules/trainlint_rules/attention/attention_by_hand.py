"""TRN701."""

from __future__ import annotations

import ast
import re

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.syntax.names import argument, constant, has_name_in, last_name, nodes_in, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.tables.signs import FUSED_ATTENTION
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.files import supports_older_than
from trainlint.contract.guards.names import shows
from trainlint.finding import Confidence
from trainlint.patterns import lazy
from trainlint_rules.attention.idioms.names import around_is_named

_FALLBACK = lazy(r"eager|naive|reference|slow|manual|fallback|vanilla|math_?attn|torch_attn", re.IGNORECASE)
_PRODUCTS = frozenset({"matmul", "bmm", "einsum", "baddbmm"})
_TURNED = lazy(r"transpose|permute|swapaxes|\.mT\b|\.T\b|\.t\(|einsum|bmm|rearrange|movedim")
_BIAS = lazy(r"bias|(\b|_)rel(_|\b|ative)|(\b|_)pos(_|\b|ition)|alibi|slope|rpe|table", re.IGNORECASE)
_KEEPING = frozenset(
    "to type type_as float half contiguous view reshape transpose permute expand flatten clone nan_to_num".split()
)
_LAST_DIMENSIONS = (-1, 2, 3)
"""What the last dimension is called in scores of three or four dimensions."""
_DEEPEST = 8


class AttentionByHand(CallRule):
    """Attention written out as two products with a softmax between them

    ## Why
    The scores of all queries with all keys are a matrix that grows with the square of the sequence. Written out, it
    is computed, scaled, masked, softened and dropped out in a kernel each, and two or three copies of it are kept for
    the backward pass. `torch.nn.functional.scaled_dot_product_attention` computes the same, and where its flash or
    memory-efficient kernel takes the inputs, the matrix is never stored.

    Channels that attend to channels have a small matrix: findings between normalised queries and keys are possible, not
    likely. Where probabilities or scores are returned, kept or changed in other ways, the function cannot replace the
    formula.

    ## Example
    ```python
    import math

    import torch
    from torch import nn


    class Attention(nn.Module):
        def __init__(self, width, heads):
            super().__init__()
            self.heads = heads
            self.project = nn.Linear(width, 3 * width)

        def forward(self, x):
            batch, length, width = x.shape
            q, k, v = self.project(x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
            scores = (q @ k.transpose(-2, -1)) / math.sqrt(k.size(-1))
            weights = torch.softmax(scores, dim=-1)
            return (weights @ v).transpose(1, 2).reshape(batch, length, width)
    ```

    ## Use instead
    ```python
    import torch
    from torch import nn


    class Attention(nn.Module):
        def __init__(self, width, heads):
            super().__init__()
            self.heads = heads
            self.project = nn.Linear(width, 3 * width)

        def forward(self, x):
            batch, length, width = x.shape
            q, k, v = self.project(x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
            attended = nn.functional.scaled_dot_product_attention(q, k, v)
            return attended.transpose(1, 2).reshape(batch, length, width)
    ```

    Its scale is one over the root of the width of a head; give `scale=` (from PyTorch 2.1 on) where the code has
    another one, and `scale=1.0` where it has none. A boolean `attn_mask` is True where attention is paid, the inverse
    of what `masked_fill(mask, -inf)` is given. Dropout needs `dropout_p=p if self.training else 0.0`, as the function
    never asks for the mode. `is_causal=True` stands for a lower triangle where queries and keys are equally long.

    ## Confirmed by
    `aten::_softmax` between two `aten::bmm` in a profile, with a result as large as the square of the sequence.

    ## Gain
    Memory that grows with the length of the sequence instead of its square, and less traffic: FlashAttention's authors
    measured GPT-2 to train up to three times as fast as a written-out attention (arXiv 2205.14135). For sequences of
    some dozens of elements the matrix is small, and little is gained; kernels for float32 gain less than those for
    float16 and bfloat16. Not measured here.

    ## References
    - `scaled_dot_product_attention`:
      https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html
    - FlashAttention: https://arxiv.org/abs/2205.14135
    """

    code = "TRN701"
    name = "attention-by-hand"
    preview = True
    on = ("softmax", "Softmax", "attend")
    costs_steps = True
    sure = Confidence.LIKELY
    unless = (
        supports_older_than((2, 0)),
        shows("the file also has a fused attention, and this is its fallback", FUSED_ATTENTION),
        around_is_named("the code around it is named as a slow or reference way", _FALLBACK),
    )
    message = "attention by hand (products at lines {first} and {last}) stores a matrix of all queries by all keys"
    help = "use `torch.nn.functional.scaled_dot_product_attention`"

    def found(self, site: Site) -> Match | None:
        """A softmax between a product of queries with keys and one with values."""
        softened = _softened(site)
        scores = _scores(softened, site.block, _DEEPEST) if softened is not None and site.function is not None else None
        product = _product_of_probabilities(site) if scores is not None else None
        if scores is None or product is None:
            return None
        return Match(site, fields={"first": scores.lineno, "last": product.lineno})


def _softened(site: Site) -> ast.expr | None:
    """What a softmax over the last dimension is taken of."""
    call, module = site.call, site.call.func if isinstance(site.call.func, ast.Call) else None
    if module is None and isinstance(call.func, ast.Attribute) and site.function is not None and site.function.owner:
        made = [item.value for item in site.function.owner.attributes.get(call.func.attr, ())]
        module = made[0] if len(made) == 1 and isinstance(made[0], ast.Call) else None
    if module is not None:  # nn.Softmax(dim=-1)(scores), self.softmax(scores)
        dimension, given = argument(module, "dim", 0), call.args
    elif isinstance(call.func, ast.Attribute) and not (site.origin(call.func) or "").startswith("torch"):
        dimension, given = argument(call, "dim", 0), [call.func.value]
    else:
        dimension, given = argument(call, "dim", 1), call.args
    return given[0] if given and constant(dimension) in _LAST_DIMENSIONS else None


def _scores(node: ast.expr, block: Block, depth: int) -> ast.expr | None:
    """The product of queries and keys from which scores are made, scaled and masked; None with a bias added."""
    if not depth:
        return None
    if _is_product(node):
        names = [part for part in nodes_in(node) if isinstance(part, ast.Name)]
        bound = [item.value for part in names for item in reaching(part.id, block, position(part)) if item.value]
        if ast.unparse(node).count("normalize(") > 1:
            return None  # attention between channels
        return node if any(_TURNED.search(ast.unparse(item)) for item in (node, *bound)) else None
    match node:
        case ast.BinOp(left=left, op=op, right=right):
            found = _scores(left, block, depth - 1) or _scores(right, block, depth - 1)
            return None if isinstance(op, ast.Add) and _is_biased(node, block) else found
        case ast.Call(func=ast.Attribute(attr="where" | "masked_fill"), args=[*given]) if given:
            items = [*given, node.func.value] if isinstance(node.func, ast.Attribute) else given
            return next((found for item in items if (found := _scores(item, block, depth - 1))), None)
        case ast.Call(func=ast.Attribute(value=value)):
            return _scores(value, block, depth - 1)
        case ast.Name():
            made = [item for item in reaching(node.id, block, position(node)) if item.value is not None]
            if any(_BIAS.search(ast.unparse(item.value)) for item in made if item.value is not None):
                return None
            behind = [_scores(item.value, item.block, depth - 1) for item in made if item.value is not None]
            return next((item for item in behind if item is not None), None)
    return None


def _is_product(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return last_name(node.func) in _PRODUCTS
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)


def _product_of_probabilities(site: Site) -> ast.expr | None:
    """The product that probabilities go into; None where the function returns or stores them, too."""
    assert site.function is not None
    nodes = sorted(
        (node for node in nodes_in(site.function.node) if isinstance(node, ast.Assign | ast.Return)), key=position
    )
    held: set[str] = set()
    found: ast.expr | None = None
    for statement in nodes:
        if position(statement) < position(site.statement) or statement.value is None:
            continue
        value = statement.value
        if not has_name_in(value, held) and site.call not in nodes_in(value):
            continue
        product = next((part for part in nodes_in(value) if _is_product(part) and _holds(part, site.call, held)), None)
        if isinstance(product, ast.expr):
            inside = set(nodes_in(product))
            if any(isinstance(part, ast.Name) and part.id in held and part not in inside for part in nodes_in(value)):
                return None
            found = found or product
        elif (
            isinstance(statement, ast.Assign)
            and isinstance(statement.targets[0], ast.Name)
            and _keeps(value, site.call)
        ):
            held.add(statement.targets[0].id)
        else:
            return None
    return found


def _holds(node: ast.AST, call: ast.Call, names: set[str]) -> bool:
    return has_name_in(node, names) or any(part is call for part in nodes_in(node))


def _keeps(value: ast.expr, softmax: ast.Call) -> bool:
    """Whether an expression leaves probabilities what they are: dropout and shaping."""
    inside = set(nodes_in(softmax))
    calls = [last_name(part.func) for part in nodes_in(value) if isinstance(part, ast.Call) and part not in inside]
    return all(name in _KEEPING or "drop" in name.lower() for name in calls)


def _is_biased(node: ast.expr, block: Block) -> bool:
    """Whether something in a sum is called a bias, or bound to something that is."""
    names = [part for part in nodes_in(node) if isinstance(part, ast.Name)]
    bound = [item.value for part in names for item in reaching(part.id, block, position(part)) if item.value]
    return any(_BIAS.search(ast.unparse(item)) for item in (node, *bound))
