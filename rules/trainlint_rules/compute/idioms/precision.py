"""What autocast contexts say: on which device, in which type, and whether they are on.

Only PyTorch's own are read. Defaults are those of PyTorch: on CUDA autocast computes in float16, on the CPU in
bfloat16, unless the program sets another type for all.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Binding, Block, BlockKind, How
from trainlint.analysis.syntax.names import argument, constant, has_unpacked_arguments, position
from trainlint.analysis.syntax.reaching import reaching, single_value
from trainlint.analysis.tables.precision import AUTOCAST_DEVICES

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

_FOLLOWED = 3
"""How many names are followed from a `with` to the call that makes its context."""


class CastTo(Enum):
    """The type that autocast computes in."""

    FLOAT16 = auto()
    BFLOAT16 = auto()
    OTHER = auto()
    UNKNOWN = auto()
    """It is chosen elsewhere, or at run time."""


_TYPES = {
    "torch.float16": CastTo.FLOAT16,
    "torch.half": CastTo.FLOAT16,
    "torch.bfloat16": CastTo.BFLOAT16,
    "torch.float32": CastTo.OTHER,
    "torch.float": CastTo.OTHER,
}


@dataclass(frozen=True, slots=True, eq=False)
class Autocast:
    """One call that makes an autocast context."""

    call: ast.Call
    device: str | None
    """The type of device, such as "cuda" or "cpu"; None where it is not written out."""
    dtype: CastTo
    enabled: bool | None
    """None where that is decided at run time."""


def autocast_of(file: SemanticModel, call: ast.Call, block: Block) -> Autocast | None:
    """What a call says, if it makes an autocast context of PyTorch; None for every other call."""
    origin = file.outline.imported(call.func, block) or ""
    if origin not in AUTOCAST_DEVICES:
        return None
    device = AUTOCAST_DEVICES[origin]
    # The old names have `enabled` before the type, the new ones behind the device and the type.
    dtype, enabled = (1, 0) if device is not None else (1, 2)
    if device is None:
        device = _text(argument(call, "device_type", 0), block)
    hidden = has_unpacked_arguments(call)
    given = argument(call, "dtype", dtype)
    if given is None or constant(given) is None:
        cast = CastTo.UNKNOWN if hidden else _default(file, device)
    else:
        cast = _dtype(file, given, block)
    return Autocast(call, device, cast, switch(argument(call, "enabled", enabled), hidden=hidden))


def autocasts(file: SemanticModel, node: ast.expr, block: Block, depth: int = _FOLLOWED) -> Iterator[Autocast | None]:
    """All contexts that an expression may be; None for whatever is no autocast of PyTorch, or is not seen.

    Follows names, attributes of the own object, the two sides of a conditional expression.
    """
    match node:
        case ast.Call() if depth and file.outline.imported(node.func, block) is None:
            yield from autocasts(file, node.func, block, depth)
        case ast.Call():
            yield autocast_of(file, node, block)
        case ast.IfExp():
            for side in (node.body, node.orelse):
                yield from autocasts(file, side, block, depth)
        case ast.Name() if depth:
            yield from _bound(file, reaching(node.id, block, position(node)), depth)
        case ast.Attribute(value=ast.Name() as name) if depth and (owner := file.outline.self_class(name, block)):
            yield from _bound(file, owner.attributes.get(node.attr, []), depth)
        case _:
            yield None


def _bound(file: SemanticModel, bindings: list[Binding], depth: int) -> Iterator[Autocast | None]:
    for binding in bindings:
        if binding.how is How.ASSIGN and binding.value is not None and not binding.path:
            yield from autocasts(file, binding.value, binding.block, depth - 1)
        else:
            yield None
    if not bindings:
        yield None


def autocast_around(file: SemanticModel, block: Block) -> Autocast | None:
    """The innermost `with` of the function around a block whose context is an autocast, whatever else it may be."""
    for outer in block.outwards():
        if outer.kind is BlockKind.FUNCTION:
            return None
        if outer.kind is BlockKind.WITH and isinstance(outer.node, ast.With | ast.AsyncWith):
            for item in outer.node.items:
                found = next(filter(None, autocasts(file, item.context_expr, outer.parent or outer)), None)
                if found is not None:
                    return found
    return None


def regions(file: SemanticModel, call: ast.Call) -> list[Block]:
    """The bodies of all `with` statements of the file whose context is made by a call, directly or by a name of it."""
    found = []
    for block in file.outline.blocks:
        if block.kind is BlockKind.WITH and isinstance(block.node, ast.With | ast.AsyncWith):
            contexts = [item.context_expr for item in block.node.items]
            made = (each for context in contexts for each in autocasts(file, context, block.parent or block))
            if any(each is not None and each.call is call for each in made):
                found.append(block)
    return found


def _dtype(file: SemanticModel, node: ast.expr, block: Block) -> CastTo:
    origin = file.outline.imported(node, block)
    if origin is not None:
        return _TYPES.get(origin, CastTo.UNKNOWN)
    value = single_value(node, block)
    return _dtype(file, value, block) if value is not None and not isinstance(value, ast.Name) else CastTo.UNKNOWN


def _default(file: SemanticModel, device: str | None) -> CastTo:
    if file.autocast_is_set:
        return CastTo.UNKNOWN
    return {"cuda": CastTo.FLOAT16, "cpu": CastTo.BFLOAT16}.get(device or "", CastTo.UNKNOWN)


def switch(given: ast.expr | None, *, hidden: bool) -> bool | None:
    """What an argument that switches something on says; on if it is not given. `hidden` means that it may be given."""
    if given is None:
        return None if hidden else True
    value = constant(given)
    return value if isinstance(value, bool) else None


def _text(node: ast.expr | None, block: Block) -> str | None:
    value = constant(single_value(node, block) or node) if node is not None else None
    return value.partition(":")[0] if isinstance(value, str) else None
