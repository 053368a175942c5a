"""TRN418."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.syntax.names import argument, last_name
from trainlint.analysis.syntax.reaching import single_value
from trainlint.finding import Finding, Fix, Safety, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom

_IMAGES = lazy(r"^torchvision\.io\.(\w+\.)?(read_image|decode_image|decode_jpeg|decode_png)$")
_SMALL_TYPES = frozenset(("uint8", "int8", "bool", "float16", "half", "bfloat16"))
_SMALL_CASTS = frozenset(("byte", "char", "bool", "half", "bfloat16"))
_KEEP_TYPE = frozenset("view reshape permute transpose unsqueeze squeeze flatten contiguous pin_memory clone".split())
_DEEPEST = 6


class Float32CastBeforeTransfer(Rule):
    """A small tensor is made float32 on the host and then copied: up to four times the bytes

    ## Why
    An image of bytes is a quarter of the same image in float32. `x.float().to(device)` converts on the host, which is
    slow there, and sends four bytes for each; `x.to(device).float()` sends one, and converts on the device within
    microseconds. The numbers are the same.

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

    ## Stays silent
    Where the tensor's type is not surely one of one or two bytes: of float64, which loaders of NumPy data bring, the
    cast before the copy halves the bytes. Where the copy casts by itself, and in tests.

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
    fix_safety = Safety.SAFE
    heat_matters = False
    preview = True
    confirmed_by = frozenset({Symptom.HOST_TO_DEVICE})
    triggers = Triggers(calls=frozenset({"to", "cuda"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find copies of what was a tensor of small numbers before it was cast."""
        func = site.call.func
        cast = func.value if isinstance(func, ast.Attribute) else None
        if not isinstance(cast, ast.Call) or not isinstance(cast.func, ast.Attribute) or cast.func.attr != "float":
            return
        if cast.args or cast.keywords or is_test_path(site.path) or not _only_moves(site):
            return
        if not _is_small(site, cast.func.value, site.block):
            return
        small = ast.unparse(cast.func.value)
        yield self.finding(
            site,
            f"`{small}` is cast to float32 on the host and then copied, which multiplies the bytes; copy first, and "
            "cast on the device",
            confidence=0.85,
            fix=partial(_swapped, site, cast),
        )


def _only_moves(site: Site) -> bool:
    """Whether the call copies to the device and names no data type."""
    call = site.call
    if last_name(call.func) == "to" and (len(call.args) != 1 or argument(call, "dtype") is not None):
        return False
    return site.value(call).on_device


def _is_small(site: Site, node: ast.expr, block: Block, depth: int = 0) -> bool:
    """Whether an expression is surely a tensor of one or two bytes an element, on the host."""
    if depth > _DEEPEST:
        return False
    if isinstance(node, ast.Name):
        value = single_value(node, block)
        return value is not None and _is_small(site, value, block, depth + 1)
    if not isinstance(node, ast.Call):
        return False
    origin = site.origin(node.func) or ""
    if _IMAGES.match(origin):
        return True
    if origin.startswith("torch."):
        device = argument(node, "device")
        return last_name(argument(node, "dtype") or node) in _SMALL_TYPES and device is None
    return isinstance(node.func, ast.Attribute) and _gives_small(site, node, node.func, block, depth)


def _gives_small(site: Site, call: ast.Call, method: ast.Attribute, block: Block, depth: int) -> bool:
    """The same of a method call: it casts to such a type, or keeps the type of such a tensor."""
    if method.attr in _SMALL_CASTS and not call.args:
        return not site.value(method.value).on_device
    if method.attr == "to" and len(call.args) == 1:
        return last_name(call.args[0]) in _SMALL_TYPES and not site.value(method.value).on_device
    return method.attr in _KEEP_TYPE and _is_small(site, method.value, block, depth + 1)


def _swapped(site: Site, cast: ast.Call) -> Fix | None:
    from trainlint.fixing.rewrite import Unfixable, attempt, expression, replace_expression

    def make() -> Fix:
        import libcst as cst

        moved = expression(site.source, site.call)
        if not isinstance(moved, cst.Call) or not isinstance(moved.func, cst.Attribute):
            raise Unfixable(f"line {site.call.lineno} of {site.path} is written in an unusual way")
        inner = moved.func.value
        if not isinstance(inner, cst.Call) or not isinstance(inner.func, cst.Attribute):
            raise Unfixable(f"line {site.call.lineno} of {site.path} is written in an unusual way")
        first = moved.with_changes(func=moved.func.with_changes(value=inner.func.value))
        new = inner.with_changes(func=inner.func.with_changes(value=first))
        return Fix("Copy first, cast on the device", (replace_expression(site.source, site.call, new),), Safety.SAFE)

    return attempt(make)
