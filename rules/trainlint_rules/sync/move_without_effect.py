"""TRN216."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from trainlint.analysis.site import Site
from trainlint.contract.bases import CallRule
from trainlint.contract.confidence import level
from trainlint.contract.declared_rule import Match
from trainlint.finding import Edit, Safety, Severity
from trainlint_rules.sync.idioms.dropped_moves import dropped_move


class MoveWithoutEffect(CallRule):
    """A tensor moved to a device, and the moved tensor dropped

    ## Why
    `tensor.to(device)`, `.cuda()` and `.cpu()` return another tensor and leave this one where it is; only modules move
    in place. What comes after still works with the old tensor: it fails with "Expected all tensors to be on the same
    device", or silently computes on the CPU where the model is there as well.
    Batches of some libraries (`BatchEncoding`, PyTorch Geometric's `Data`) move in place, too, so only what is surely
    a tensor is reported.

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

    ## Fix safety
    The fix assigns the moved tensor to its name. What follows then works with a tensor on another device than before.

    ## Confirmed by
    `tensor.device` is the same before and after the line.

    ## Gain
    Correctness: nothing is moved today. Where everything is meant to be on the CPU, remove the line.

    ## References
    - `torch.Tensor.to`: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html
    - `torch.nn.Module.to` changes the module in place:
      https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.to
    """

    code = "TRN216"
    name = "move-without-effect"
    editor_tag = "unnecessary"
    severity = Severity.ERROR
    in_tests = True
    on = (".to", ".cuda", ".cpu")
    message = "nothing uses the result of `{text}`: `{value}` stays where it is"
    help = "assign the result: `{value} = {text}`"
    fix_title = "Assign the moved tensor"
    fix_safety = Safety.UNSAFE

    def found(self, site: Site) -> Match | None:
        """A statement that moves a tensor and keeps nothing of it."""
        sure = dropped_move(site.file, site.place)
        return Match(site, level(sure), {"value": site.text(site.receiver)}) if sure else None

    def edits(self, site: Site, match: Match) -> Iterable[Edit]:
        """The target of an assignment, where a plain name is moved."""
        if isinstance(site.receiver, ast.Name):
            start = site.source.offset(site.statement.lineno, site.statement.col_offset)
            yield Edit(start, start, f"{site.receiver.id} = ")
