"""TRN418."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from trainlint.analysis.site import Site
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Confidence, Edit, Safety, Severity
from trainlint.symptoms import Symptom
from trainlint_rules.compute.idioms.small_tensors import casts_by_itself, is_small
from trainlint_rules.sync.idioms.moved.creations import is_no_dtype


class Float32CastBeforeTransfer(CallRule):
    """A small tensor is made float32 on the host and then copied: up to four times the bytes

    ## Why
    An image of bytes is a quarter of the same image in float32. `x.float().to(device)` converts on the host, which is
    slow there, and sends four bytes for each; `x.to(device).float()` sends one, and converts on the device within
    microseconds. The numbers are the same.

    Only tensors that surely are of one or two bytes an element are looked at: of float64, which loaders of NumPy data
    bring, the cast before the copy halves the bytes.

    ## Example
    ```python
    import torch
    from torchvision.io import read_image


    def show(model: torch.nn.Module, path):
        image = read_image(path)
        return model(image.float().cuda().unsqueeze(0) / 255)
    ```

    ## Use instead
    ```python
    import torch
    from torchvision.io import read_image


    def show(model: torch.nn.Module, path):
        image = read_image(path)
        return model(image.cuda().float().unsqueeze(0) / 255)
    ```

    The fix is unsafe where the copy is given more than a device, or what may be a dtype or a tensor.

    ## Confirmed by
    `trainlint probe` times the copy at this line, and tells from a trace of a GPU how long it holds the step up.
    `Memcpy HtoD` of four bytes for each element of a tensor that was made of bytes.

    ## Gain
    A quarter of the bytes of this copy for images of bytes, half of them for half precision; not measured here.
    Nothing where copies run beside the computation anyway.

    ## References
    - Data transfer: https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html
    - `torchvision.io.decode_image`, which gives bytes:
      https://docs.pytorch.org/vision/stable/generated/torchvision.io.decode_image.html
    """

    code = "TRN418"
    name = "float32-cast-before-transfer"
    severity = Severity.ADVICE
    preview = True
    confirmed_by = frozenset({Symptom.HOST_TO_DEVICE})
    on = (".to", ".cuda")
    sure = Confidence.LIKELY
    unless = (casts_by_itself,)
    message = "`{small}` becomes float32 on the CPU before it is copied to the GPU, with two to four times the bytes"
    help = "copy first, and call `.float()` on the GPU"
    fix_title = "Copy first, cast on the device"
    fix_safety = Safety.SAFE

    def found(self, site: Site) -> Match | None:
        """`.float()` of a tensor of small numbers, and the copy of its result to the device."""
        match site.receiver:
            case ast.Call(func=ast.Attribute(attr="float", value=small), args=[], keywords=[]):
                if is_small(site, small) and site.value(site.call).on_device:
                    only_moves = not site.call.keywords and all(is_no_dtype(site, item) for item in site.call.args)
                    safety = Safety.SAFE if only_moves else Safety.UNSAFE
                    return Match(site, fields={"small": site.text(small)}, fix_safety=safety)
        return None

    def edits(self, site: Site, match: Match) -> Iterable[Edit]:
        """The cast behind the copy."""
        import libcst as cst

        from trainlint.fixing.rewrite import expression, replace_expression

        match expression(site.source, site.call):
            case cst.Call(func=cst.Attribute(value=cst.Call(func=cst.Attribute(value=small)) as cast)) as move:
                moved = move.with_deep_changes(move.func, value=small)
                yield replace_expression(site.source, site.call, cast.with_deep_changes(cast.func, value=moved))
