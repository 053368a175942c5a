"""Where a device that code names is: on the host or beside it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.syntax.literal_dicts import unpacked_items
from trainlint.analysis.syntax.names import argument, constant, last_name
from trainlint.analysis.syntax.reaching import single_value
from trainlint.analysis.types.values import Home, Kind, Value

if TYPE_CHECKING:
    from trainlint.analysis.types.inference import Kinds


def device_of(kinds: Kinds, call: ast.Call, block: Block) -> Home | None:
    """Where `.to(...)`, `.cuda()` or a factory puts its tensor; None if no argument names a place.

    A dtype, a memory format or another tensor of unknown home names none.
    """
    given = argument(call, "device")
    if given is None:
        items = unpacked_items(call, block, kinds.outline)
        found = next(((value, inside) for name, value, inside in items if name == "device"), None)
        if found is not None:
            return home_of(kinds, *found)
    if given is None and last_name(call.func) in ("to", "type") and call.args:
        given = call.args[0]
    if given is None:
        return None
    return home_of(kinds, given, block)


def home_of(kinds: Kinds, node: ast.expr, block: Block) -> Home | None:
    """The home that a device expression means: "cuda:0", torch.device("cpu"), a rank, `other.device`."""
    literal = constant(node)
    if isinstance(literal, str):
        return Home.HOST if literal.startswith("cpu") else Home.DEVICE if not literal.startswith("meta") else None
    if isinstance(literal, int) and not isinstance(literal, bool):
        return Home.DEVICE
    if isinstance(node, ast.Call) and last_name(node.func) == "device" and node.args:
        return home_of(kinds, node.args[0], block)
    if isinstance(node, ast.IfExp):
        found = {home_of(kinds, node.body, block), home_of(kinds, node.orelse, block)}
        return Home.DEVICE if Home.DEVICE in found else None
    if isinstance(node, ast.Attribute) and node.attr == "device":
        owner = kinds.of(node.value, block)
        return _device_of_tensor(owner) or kinds.device
    return _home_of_value(kinds, node, block)


def _device_of_tensor(tensor: Value) -> Home | None:
    """The home of a tensor whose device is named; None where it is unknown."""
    if tensor.on_device:
        return Home.DEVICE
    return Home.HOST if tensor.is_tensor and tensor.home is Home.HOST else None


def _home_of_value(kinds: Kinds, node: ast.expr, block: Block) -> Home | None:
    """The home that an expression means by what it holds: a device, a tensor, the name or number of a device."""
    value = kinds.of(node, block)
    if value.kind is Kind.DEVICE:
        return _named_device(kinds, node, block)
    if value.is_tensor:
        return _device_of_tensor(value)
    if value.kind is Kind.DTYPE:
        return None
    if value.kind is Kind.STRING:
        return kinds.device
    if isinstance(node, ast.Call):
        return kinds.device if "dev" in last_name(node.func).lower() else None
    return kinds.device if value.kind is Kind.NUMBER and isinstance(node, ast.Name | ast.Attribute) else None


def _named_device(kinds: Kinds, node: ast.expr, block: Block) -> Home:
    """The home of a device variable: HOST where it is assigned the CPU and nothing else."""
    value = single_value(node, block)
    if value is not None and value is not node:
        literal = (
            value.args[0] if isinstance(value, ast.Call) and last_name(value.func) == "device" and value.args else value
        )
        if isinstance(constant(literal), str):
            return Home.HOST if str(constant(literal)).startswith("cpu") else Home.DEVICE
    return Home.DEVICE if kinds.device is not Home.UNKNOWN else Home.UNKNOWN
