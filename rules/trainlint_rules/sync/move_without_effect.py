"""TRN216."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial
from itertools import pairwise

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import BlockKind
from trainlint.finding import Edit, Finding, Fix, Safety, Severity
from trainlint.rule import Rule, Triggers
from trainlint_rules.sync.idioms.dropped_moves import dropped_move


class MoveWithoutEffect(Rule):
    """A tensor moved to a device, and the moved tensor dropped

    ## Why
    `tensor.to(device)`, `.cuda()` and `.cpu()` return another tensor and leave this one where it is; only modules move
    in place. What comes after still works with the old tensor: it fails with "Expected all tensors to be on the same
    device", or computes on the host without a word where the model is there as well.

    ## Example
    ```python
    import torch


    def mask_of(lengths, width, device):
        mask = torch.arange(width)[None] < lengths[:, None]
        mask.to(device)
        return mask
    ```

    ## Use instead
    ```python
    import torch


    def mask_of(lengths, width, device):
        mask = torch.arange(width)[None] < lengths[:, None]
        mask = mask.to(device)
        return mask
    ```

    ## Stays silent
    For modules, which move in place, and for everything that is not surely a tensor: batches of some libraries
    (`BatchEncoding`, PyTorch Geometric's `Data`) move in place, too. In classes that a test function makes up.

    ## Fix safety
    The fix assigns the moved tensor to its name. What follows then works with a tensor on another device than before.

    ## Confirmed by
    `tensor.device` is the same before and after the line.

    ## Gain
    Correctness: nothing is moved today. Where everything is on the host by intention, the line can go.

    ## References
    - `torch.Tensor.to`: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html
    - `torch.nn.Module.to` changes the module in place:
      https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.to
    """

    code = "TRN216"
    name = "move-without-effect"
    severity = Severity.ERROR
    fix_safety = Safety.UNSAFE
    heat_matters = False
    triggers = Triggers(calls=frozenset({"to", "cuda", "cpu"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find statements that move a tensor and keep nothing of it."""
        confidence = dropped_move(site.file, site.place)
        if not confidence or not isinstance(site.call.func, ast.Attribute) or _is_double(site):
            return
        owner = ast.unparse(site.call.func.value)
        message = (
            f"`{owner}.{site.call.func.attr}(...)` returns the moved tensor and leaves `{owner}` where it is: "
            "assign the result"
        )
        yield self.finding(site, message, confidence=confidence, fix=partial(_assigned, site, site.call))


def _is_double(site: Site) -> bool:
    """Whether this is a method of a class inside a test function: it plays what another one does wrong."""
    kinds = [block for block in site.block.outwards() if block.kind in (BlockKind.CLASS, BlockKind.FUNCTION)]
    return any(
        inner.kind is BlockKind.CLASS and isinstance(outer.node, ast.FunctionDef) and outer.node.name.startswith("test")
        for inner, outer in pairwise(kinds)
    )


def _assigned(site: Site, call: ast.Call) -> Fix | None:
    assert isinstance(call.func, ast.Attribute)
    owner = call.func.value
    if not isinstance(owner, ast.Name):
        return None
    start = site.source.offset(site.statement.lineno, site.statement.col_offset)
    return Fix("Assign the moved tensor", (Edit(start, start, f"{owner.id} = "),), Safety.UNSAFE)
