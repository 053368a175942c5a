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
    The scores of all queries with all keys are a matrix that grows with the square of the sequence length. By hand, the
    products, the scale, the mask, the softmax and the dropout are a kernel each, and two or three copies of the matrix
    are kept for the backward pass. `torch.nn.functional.scaled_dot_product_attention` computes the same. Where its
    flash or memory-efficient kernel accepts the inputs, the matrix is never stored.

    Attention between channels, with normalised queries and keys, has a small matrix and is not reported. Nor is code
    that returns, keeps or otherwise changes the scores or probabilities: there, the function cannot replace it.

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

    The function divides by the root of the width of a head. Pass `scale=` (from PyTorch 2.1 on) where the code has
    another scale, and `scale=1.0` where it has none. A boolean `attn_mask` is True where attention is paid, the inverse
    of the mask in `masked_fill(mask, -inf)`. Pass `dropout_p=p if self.training else 0.0`: the function does not know
    the mode. `is_causal=True` stands for a lower triangle where queries and keys are equally long.

    ## Confirmed by
    `aten::_softmax` between two `aten::bmm` in a profile, with a result as large as the square of the sequence.

    ## Gain
    Memory that grows with the sequence length instead of its square, and less memory traffic. The authors of
    FlashAttention measured GPT-2 to train up to three times as fast (arXiv 2205.14135). Sequences of some dozens of
    elements gain little, and float32 gains less than float16 and bfloat16. Not measured here.

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
    if _is_product(node):
        return node if _multiplies_queries(node, block) else None
    behind = (_scores(item, inner, depth - 1) for item, inner in _behind(node, block))
    return next((found for found in behind if found is not None), None) if depth else None


def _multiplies_queries(product: ast.expr, block: Block) -> bool:
    """Whether one factor is turned, and not both are normalised, as in attention between channels."""
    if ast.unparse(product).count("normalize(") > 1:
        return False
    return any(_TURNED.search(text) for text in _texts(product, block))


def _behind(node: ast.expr, block: Block) -> list[tuple[ast.expr, Block]]:
    """What scores may be made of; nothing where a bias is added."""
    match node:
        case ast.BinOp(left=left, op=op, right=right):
            biased = isinstance(op, ast.Add) and any(map(_BIAS.search, _texts(node, block)))
            return [] if biased else [(left, block), (right, block)]
        case ast.Call(func=function, args=given):
            held = [function.value] if isinstance(function, ast.Attribute) else []
            masks = given if last_name(function) in ("where", "masked_fill") else []
            return [(item, block) for item in (*held, *masks)]
        case ast.Name():
            made = [(item.value, item.block) for item in reaching(node.id, block, position(node))]
            found = [(value, inner) for value, inner in made if value is not None]
            return [] if any(_BIAS.search(ast.unparse(value)) for value, _ in found) else found
    return []


def _texts(node: ast.expr, block: Block) -> list[str]:
    """An expression as text, and what its names are bound to."""
    names = [part for part in nodes_in(node) if isinstance(part, ast.Name)]
    bound = [item.value for part in names for item in reaching(part.id, block, position(part))]
    return [ast.unparse(item) for item in (node, *bound) if item is not None]


def _is_product(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return last_name(node.func) in _PRODUCTS
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)


def _product_of_probabilities(site: Site) -> ast.expr | None:
    """The product that probabilities go into; None where the function returns or stores them, too."""
    assert site.function is not None
    held: set[str] = set()
    found: ast.expr | None = None
    for statement, value in _statements(site.function.node, site.statement.lineno):
        if not _holds(value, site.call, held):
            continue
        product = next((part for part in nodes_in(value) if _is_product(part) and _holds(part, site.call, held)), None)
        if isinstance(product, ast.expr) and not _holds_beside(value, product, held):
            found = found or product
            continue
        name = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if product is not None or not isinstance(name, ast.Name) or not _keeps(value, site.call):
            return None
        held.add(name.id)
    return found


def _statements(function: ast.AST, first: int) -> list[tuple[ast.Assign | ast.Return, ast.expr]]:
    """The assignments and returns from a line on, in the order of the text, each with its value."""
    found = [node for node in nodes_in(function) if isinstance(node, ast.Assign | ast.Return) and node.lineno >= first]
    ordered = sorted(found, key=lambda node: node.lineno)
    return [(node, node.value) for node in ordered if node.value is not None]


def _holds_beside(value: ast.expr, product: ast.expr, names: set[str]) -> bool:
    """Whether an expression holds probabilities besides those that go into a product."""
    inside = set(nodes_in(product))
    return any(isinstance(part, ast.Name) and part.id in names and part not in inside for part in nodes_in(value))


def _holds(node: ast.AST, call: ast.Call, names: set[str]) -> bool:
    return has_name_in(node, names) or any(part is call for part in nodes_in(node))


def _keeps(value: ast.expr, softmax: ast.Call) -> bool:
    """Whether an expression leaves probabilities what they are: dropout and shaping."""
    inside = set(nodes_in(softmax))
    calls = [last_name(part.func) for part in nodes_in(value) if isinstance(part, ast.Call) and part not in inside]
    return all(name in _KEEPING or "drop" in name.lower() for name in calls)
