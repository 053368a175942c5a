"""Random numbers that NumPy draws on the host only for the device."""

from __future__ import annotations

import ast

from trainlint.analysis.effects.arrays import is_drawn
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, Place
from trainlint.analysis.syntax.names import last_name, nodes_in
from trainlint.analysis.syntax.reaching import single_value
from trainlint.analysis.syntax.uses import loads
from trainlint.analysis.tables.waits.device_copies import MOVING_WITHOUT_TYPE
from trainlint.analysis.types.values import Home

MAKERS = frozenset({"from_numpy", "tensor", "as_tensor", "Tensor", "FloatTensor", "LongTensor", "BoolTensor"})
"""The last names of what makes tensors of arrays."""
_PERMUTING = frozenset({"permutation", "permuted", "choice", "shuffle"})
_BETWEEN = frozenset(
    "float long int half double bool view reshape unsqueeze squeeze contiguous type expand repeat permute "
    "transpose requires_grad_ pin_memory".split()
)


def drawn_for_device(file: SemanticModel, call: ast.Call, place: Place) -> bool:
    """Whether a call makes a tensor of numbers that NumPy has just drawn, for the device and nobody else.

    `place` is a place in the statement that holds the call.
    """
    if not call.args or last_name(call.func) not in MAKERS or not is_drawn(file, call.args[0], place.block):
        return False
    origin = file.kinds.imported(call.func, place.block) or ""
    if _is_device_type(file, call.func, place.block):
        return not _host_needs_it(file, call.args[0], place.block)
    if not origin.startswith("torch.") or not _goes_to_device(file, call, place):
        return False
    return not _host_needs_it(file, call.args[0], place.block)


def draws_permutation(site: Site) -> bool:
    """Whether the drawn numbers are a permutation or a choice from some, and not numbers of a distribution."""
    drawn = single_value(site.call.args[0], site.block) or site.call.args[0]
    return any(isinstance(part, ast.Call) and last_name(part.func) in _PERMUTING for part in nodes_in(drawn))


def _is_device_type(file: SemanticModel, node: ast.expr, block: Block) -> bool:
    """`torch.cuda.FloatTensor`, also as `Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor`."""
    chosen = single_value(node, block) or node
    choices = [chosen.body, chosen.orelse] if isinstance(chosen, ast.IfExp) else [chosen]
    return any((file.kinds.imported(item, block) or "").startswith("torch.cuda.") for item in choices)


def _host_needs_it(file: SemanticModel, drawn: ast.expr, block: Block) -> bool:
    """Whether the host uses the drawn numbers for something else as well, or draws them by weights of its own."""
    function = file.graph.enclosing(block)
    root = function.node if function is not None else file.tree
    values = [drawn, single_value(drawn, block) or drawn]
    calls = [part for value in values for part in nodes_in(value) if isinstance(part, ast.Call)]
    if any(keyword.arg == "p" for call in calls for keyword in call.keywords):
        return True
    return isinstance(drawn, ast.Name) and sum(1 for _ in loads(root, drawn.id)) > 1


def _goes_to_device(file: SemanticModel, call: ast.Call, place: Place) -> bool:
    """Whether the tensor is made on the device, or moved there in the same expression."""
    if any(keyword.arg == "device" for keyword in call.keywords):
        return file.kinds.device_argument(call, place.block) is Home.DEVICE
    parents = {child: node for node in nodes_in(place.statement) for child in ast.iter_child_nodes(node)}
    node: ast.AST = call
    while True:
        around = parents.get(node)
        if isinstance(around, ast.Call) and last_name(around.func) == "Variable":
            node = around  # the old wrapper hands its tensor on
            continue
        outer = parents.get(around) if isinstance(around, ast.Attribute) else None
        if not isinstance(around, ast.Attribute) or not isinstance(outer, ast.Call):
            return False
        if around.attr in MOVING_WITHOUT_TYPE:
            return around.attr != "to" or file.kinds.device_argument(outer, place.block) is Home.DEVICE
        if around.attr not in _BETWEEN:
            return False
        node = outer
