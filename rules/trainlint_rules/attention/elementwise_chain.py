"""TRN714."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.analysis.effects.forward import computes
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name, names_in, nodes_in, position
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers
from trainlint_rules.attention.idioms.norms import written_gelu, written_norm

_FIRST_COMPILER = (2, 0)
_FUSED_ALREADY = lazy(r"compil|\btriton\b|jit\.|jit_fuser|fused|cuda_ext|cpp_extension", re.IGNORECASE)
_FUNCTIONS = frozenset(
    "sigmoid tanh exp log log1p expm1 relu softplus silu gelu erf sqrt rsqrt square pow sin cos abs clamp where "
    "logsigmoid elu leaky_relu mish hardtanh reciprocal".split()
)
_CURVES = frozenset("sigmoid tanh exp softplus silu gelu erf relu elu mish logsigmoid".split())
"""Where a chain is looked for: what activations and gates are made of."""
_SIGNS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)
_ENOUGH = 5
_LOSS_CLASS = lazy(r"Loss|Criterion")
_SMALL = lazy(
    r"box|anchor|loss|prob|logit|score|alpha|beta|sigma|time|freq|angle|coord|schedule|snr|width|height|(^|_)[whst]\d?$",
    re.IGNORECASE,
)
"""Words for numbers of which there are few: one a box, a sample, a class or a time step."""


class ElementwiseChain(Rule):
    """Five or more element-wise operations in one expression of a forward pass, each a kernel of its own

    ## Why
    Each sign and each function in the formula reads its tensors from memory and writes the result back, and most
    results are kept for the backward pass. On a GPU such a chain is bound by memory alone, so each pass over it counts.
    `torch.compile` makes one kernel of the chain, forward and backward.

    ## Example
    ```python
    import torch
    from torch import nn


    class Gate(nn.Module):
        def forward(self, hidden, update, reset):
            return torch.sigmoid(update) * hidden + (1 - torch.sigmoid(update)) * torch.tanh(reset * hidden)
    ```

    ## Use instead
    ```python
    import torch
    from torch import nn


    @torch.compile
    def gated(hidden, update, reset):
        return torch.sigmoid(update) * hidden + (1 - torch.sigmoid(update)) * torch.tanh(reset * hidden)


    class Gate(nn.Module):
        def forward(self, hidden, update, reset):
            return gated(hidden, update, reset)
    ```

    Compiling the whole model does the same for all of its chains.

    ## Stays silent
    In files that compile, script or name fused kernels; outside of forward passes; for losses, boxes, time steps and
    other things of which there are few; for a norm or a GELU, of which TRN710 speaks; in tests and benchmarks; where
    the project lets in a PyTorch before 2.0.

    ## Confirmed by
    `aten::mul`, `aten::add` and their kin in a row in a profile, on tensors of the same shape.

    ## Gain
    Fewer passes over memory: of n operations in a row, about n - 1 reads and writes of a whole tensor. Not measured
    here; nothing for small tensors, whose kernels are bound by their launch, unless the whole model is compiled.

    ## References
    - Performance tuning guide, "Fuse operations":
      https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    """

    code = "TRN714"
    name = "elementwise-chain"
    severity = Severity.ADVICE
    heat_matters = False
    preview = True
    triggers = Triggers(calls=_CURVES)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find long formulas in forward passes, each at the first of its curves."""
        if is_test_path(site.path) or site.lacks(_FIRST_COMPILER):
            return
        if site.file.says(_FUSED_ALREADY) or not computes(site.file, site.block):
            return
        owner = site.file.graph.owner(site.block)
        if owner is not None and _LOSS_CLASS.search(owner.name):
            return
        chain = _chain(site.statement, site.call)
        if chain is None or not _is_first(chain, site.call) or any(_SMALL.search(name) for name in names_in(chain)):
            return
        count = _operations(chain)
        if count < _ENOUGH or written_gelu(site.place) or written_norm(site.place):
            return
        yield self.finding(
            site,
            f"{count} element-wise operations in a row are a kernel each; `torch.compile` makes one of them",
            at=chain,
            confidence=0.7,
        )


def _chain(statement: ast.stmt, call: ast.Call) -> ast.expr | None:
    """The largest element-wise formula of a statement that a call stands in."""
    found: ast.expr | None = None
    stack: list[ast.AST] = [statement]
    while stack and found is None:
        node = stack.pop()
        if isinstance(node, ast.expr) and _is_elementwise(node) and any(part is call for part in _members(node)):
            found = node
        stack.extend(ast.iter_child_nodes(node))
    return found


def _is_elementwise(node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, _SIGNS)
    return isinstance(node, ast.Call) and last_name(node.func) in _FUNCTIONS


def _members(node: ast.expr) -> Iterator[ast.expr]:
    """The operations of a formula; what stands in another call, such as a layer, is another one."""
    yield node
    if isinstance(node, ast.BinOp):
        parts = [node.left, node.right]
    else:
        assert isinstance(node, ast.Call)
        parts = [*node.args, *([node.func.value] if isinstance(node.func, ast.Attribute) else [])]
    for part in parts:
        if _is_elementwise(part):
            yield from _members(part)


def _operations(chain: ast.expr) -> int:
    """How many operations have a tensor among what they are given, as far as names can tell: none of numbers alone."""
    return sum(1 for node in _members(chain) if any(True for _ in _values(node)))


def _values(node: ast.expr) -> Iterator[ast.Name]:
    """The names in an operation that hold values, and not modules or the object."""
    for part in nodes_in(node):
        if isinstance(part, ast.Name) and part.id not in ("torch", "F", "math", "np", "nn", "self"):
            yield part


def _is_first(chain: ast.expr, call: ast.Call) -> bool:
    curves = [node for node in _members(chain) if isinstance(node, ast.Call) and last_name(node.func) in _CURVES]
    return min(curves, key=position, default=None) is call
