"""TRN524."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.conditions.questions import is_on_some_ranks
from trainlint.analysis.effects.collectives import collective
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import constant, root_name
from trainlint.analysis.tables.collectives import ALL_REDUCE, IN_PLACE
from trainlint.finding import Finding, Severity
from trainlint.rule import Rule, Triggers

_COPIES = {
    0.95: frozenset({"clone", "sum", "mean", "max", "min", "abs", "exp", "sqrt", "softmax", "flip", "repeat", "tile"}),
    0.85: frozenset({"contiguous", "float", "half", "bfloat16", "double", "int", "long", "type", "type_as"}),
    0.75: frozenset({"to", "cuda", "cpu"}),
}
"""Confidence → methods that return another tensor: always, where layout or type differ, where the device differs."""
_MODULES = frozenset({"torch", "np", "numpy", "F", "math"})


class CollectiveOnTemporary(Rule):
    """A reduction in place into a temporary tensor, whose result is lost

    ## Why
    `all_reduce`, `reduce` and `broadcast` write their result into the tensor that they are given and return nothing.
    Given `x.float()` or `x / n` they write into a temporary that nobody holds: `x` keeps the value of this rank.
    `x.contiguous()` is the worst of them. It is `x` itself while `x` is contiguous, so that the code works until the
    day on which the layout differs, and then each rank goes on with values of its own, without an error.

    ## Example
    ```python
    import torch.distributed as dist


    def synchronise(scores):
        dist.all_reduce(scores.contiguous())
        return scores.softmax(dim=-1)
    ```

    ## Use instead
    ```python
    import torch.distributed as dist


    def synchronise(scores):
        scores = scores.contiguous()
        dist.all_reduce(scores)
        return scores.softmax(dim=-1)
    ```

    ## Stays silent
    For new tensors that serve only to wait for each other, such as `torch.zeros(1).cuda()`; for views (`.data`,
    `.detach()`, `.view()`); for methods that change their tensor and return it; where only the sending rank passes a
    temporary; for `torch.distributed.nn`, whose functions return the result.

    ## Confirmed by
    Values that differ between ranks after the call.

    ## Gain
    A correct result. That the original keeps its value is tested with two processes and gloo.

    ## References
    - `torch.distributed.all_reduce`, which "operates in-place":
      https://docs.pytorch.org/docs/stable/distributed.html#torch.distributed.all_reduce
    """

    code = "TRN524"
    name = "collective-on-temporary"
    severity = Severity.ERROR
    heat_matters = False
    preview = True
    triggers = Triggers(calls=IN_PLACE)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find collectives in place whose argument is a new tensor that no name holds."""
        if not isinstance(site.statement, ast.Expr) or site.statement.value is not site.call:
            return
        found = collective(site.file, site.call, site.block)
        if found is None or found.tensor is None:
            return
        confidence = _is_temporary(found.tensor)
        if not confidence or (found.name != ALL_REDUCE.name and is_on_some_ranks(site.conditions)):
            return
        original = root_name(_source(found.tensor))
        may_be = "may be" if confidence < 0.9 else "is"
        yield self.finding(
            site,
            f"`{found.name}` writes its result into `{ast.unparse(found.tensor)[:60]}`, which {may_be} a temporary: "
            f"`{original}` keeps this rank's value; give the tensor a name first and go on with that",
            at=found.tensor,
            confidence=confidence,
            severity=self.severity if confidence >= 0.9 else Severity.WARNING,
        )


def _source(tensor: ast.expr) -> ast.expr:
    """The first existing tensor in an expression."""
    return tensor.left if isinstance(tensor, ast.BinOp) else tensor


def _is_temporary(tensor: ast.expr) -> float:
    """How sure it is that an expression makes a new tensor out of one that has a name; 0 where it does not."""
    if isinstance(tensor, ast.BinOp):
        named = [part for part in (tensor.left, tensor.right) if root_name(part) and root_name(part) not in _MODULES]
        return 0.95 if named and constant(tensor) is ... else 0.0
    if not isinstance(tensor, ast.Call) or not isinstance(tensor.func, ast.Attribute):
        return 0.0
    owner = root_name(tensor.func.value)
    if not owner or owner in _MODULES or _begins_with_call(tensor.func.value):
        return 0.0
    return max((sure for sure, names in _COPIES.items() if tensor.func.attr in names), default=0.0)


def _begins_with_call(node: ast.expr) -> bool:
    """Whether a chain starts at the result of a function, as in `make_flag(1).cuda()`: that has no name anyhow."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        if isinstance(node, ast.Call):
            if not isinstance(node.func, ast.Attribute):
                return True
            node = node.func.value
        else:
            node = node.value
    return False
