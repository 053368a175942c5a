"""Tensors that other code makes on the host, such as a function that is called for them, and that are moved here."""

from __future__ import annotations

import ast

from trainlint.analysis.effects.creations import ALL, COPIED, FROM_ARRAY, is_placed
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Binding, Block
from trainlint.analysis.syntax.names import argument, last_name, nodes_in, position
from trainlint.analysis.syntax.reaching import reaching, single_value
from trainlint.analysis.syntax.uses import loads
from trainlint.analysis.tables.waits.device_copies import MOVING_WITHOUT_TYPE
from trainlint.analysis.types.evidence import Rank
from trainlint.analysis.types.values import Home, Kind, Origin, Value
from trainlint_rules.sync.idioms.copies import in_mover, says_whether_to_wait
from trainlint_rules.sync.idioms.dropped_moves import dropped_move

_OF_BYTES = "frombuffer"
_SURE = 0.9
"""How well it must be known that the tensor is newly made, and on the host."""
_SURE_OF_TARGET = 0.75


def is_moved_result(site: Site) -> bool:
    """Whether a call in a training step waits for the copy of a tensor that is made anew on the host each time."""
    if not site.heat.heat.in_step or not _moves_result(site.file, site.call, site.block):
        return False
    if says_whether_to_wait(site) or in_mover(site, site.receiver):
        return False
    return not dropped_move(site.file, site.place)


def moved_beside(site: Site) -> tuple[ast.Call, ...]:
    """The other moves of what the same statement made, in order: `maps, boxes = draw(...)`, each moved by itself."""
    made = _made_by(site.file, site.receiver, site.block)
    calls = [place for name in MOVING_WITHOUT_TYPE for place in site.file.outline.calls.get(name, ())]
    found = [
        place.node
        for place in calls
        if made
        and place.block is site.block
        and place.node is not site.node
        and isinstance(place.node, ast.Call)
        and isinstance(place.node.func, ast.Attribute)
        and _made_by(site.file, place.node.func.value, place.block) == made
        and _moves_result(site.file, place.node, place.block)
    ]
    return tuple(sorted(found, key=position))


def _made_by(file: SemanticModel, moved: ast.expr, block: Block) -> list[ast.AST]:
    """The statements that bind the name that a moved tensor hangs on."""
    return [item.node for item in _bound(file, moved, block)]


def _bound(file: SemanticModel, moved: ast.expr, block: Block) -> list[Binding]:
    """What binds the local name that a moved tensor hangs on; nothing for results of calls and for attributes."""
    name = _local_name(file, moved, block)
    return reaching(name, block, position(moved)) if name else []


def _local_name(file: SemanticModel, moved: ast.expr, block: Block) -> str:
    while True:
        match moved:
            case ast.Name(id=name):
                return name if name != "self" else ""
            case ast.Call() if file.kinds.imported(moved.func, block) is not None:
                return ""
            case ast.Subscript(value=inner) | ast.Attribute(value=inner) | ast.Call(func=ast.Attribute(value=inner)):
                moved = inner
            case _:
                return ""


def is_attribute(site: Site) -> bool:
    """Whether what is moved is kept by the object, so that the same tensor is copied again in each step."""
    node = site.receiver
    while True:
        match node:
            case ast.Attribute(value=ast.Name(id="self")):
                return True
            case ast.Subscript(value=inner) | ast.Call(func=ast.Attribute(value=inner)):
                node = inner
            case _:
                return False


def _moves_result(file: SemanticModel, call: ast.Call, block: Block) -> bool:
    if last_name(call.func) not in MOVING_WITHOUT_TYPE or not isinstance(call.func, ast.Attribute):
        return False
    moved = call.func.value
    if not _is_new_on_host(file.kinds.of(moved, block)) or not _goes_to_device(file, call, block):
        return False
    reasons = (_is_made_before_loop, _wraps_foreign_array, _is_used_before, _is_placed)
    return not any(reason(file, moved, block) for reason in reasons)


def _is_made_before_loop(file: SemanticModel, moved: ast.expr, block: Block) -> bool:
    """Whether the name that a tensor hangs on was bound before the loop around the move, or outside the function."""
    bound = _bound(file, moved, block)
    function = file.graph.enclosing(block)
    loop = block.innermost_loop()
    if loop is not None:
        return any(not item.block.within(loop) for item in bound)
    return any(file.graph.enclosing(item.block) is not function for item in bound)


def _wraps_foreign_array(file: SemanticModel, moved: ast.expr, block: Block) -> bool:
    """Whether this is an array of unknown making, such as a batch of a loader or what a solver on the host found."""
    while isinstance(moved, ast.Call) and file.kinds.imported(moved.func, block) is None:
        if not isinstance(moved.func, ast.Attribute):
            return False
        moved = moved.func.value
    moved = single_value(moved, block) or moved
    if isinstance(moved, ast.Call) and last_name(moved.func) == _OF_BYTES:
        return True  # such as an object that is pickled to be sent: only the host can make it
    if not isinstance(moved, ast.Call) or last_name(moved.func) not in FROM_ARRAY | COPIED or not moved.args:
        return False
    return _is_foreign(file, moved.args[0], block)


def _is_foreign(file: SemanticModel, array: ast.expr, block: Block) -> bool:
    """Whether NumPy did not make an array here."""
    if file.kinds.of(array, block).kind is not Kind.ARRAY:
        return file.kinds.of(array, block).kind is Kind.UNKNOWN
    made = [item.value for item in reaching(array.id, block, position(array))] if isinstance(array, ast.Name) else []
    return not any(
        isinstance(item, ast.Call) and (file.kinds.imported(item.func, block) or "").startswith("numpy.")
        for item in made or [array]
    )


def _is_used_before(file: SemanticModel, moved: ast.expr, block: Block) -> bool:
    """Whether a function other than torch's is given the tensor before: `print(kept)`, `suppress(boxes, kept)`.

    It is read on the host then, or filled by what writes to host memory only.
    """
    name, bound = _local_name(file, moved, block), _bound(file, moved, block)
    function = file.graph.enclosing(block)
    if function is None or not bound:
        return False
    start, stop = max(item.position for item in bound), position(moved)
    for load, statement in loads(function.node, name):
        if start <= position(load) < stop:
            for part in nodes_in(statement):
                if isinstance(part, ast.Call) and load in part.args and last_name(part.func) != "len":
                    if not (file.kinds.imported(part.func, block) or "").startswith("torch."):
                        return True
    return False


def _is_placed(file: SemanticModel, moved: ast.expr, block: Block) -> bool:
    """Whether a factory in the expression is told where or how to make the tensor, as by `requires_grad=True`."""
    return any(
        isinstance(part, ast.Call)
        and (file.kinds.imported(part.func, block) or "").startswith("torch.")
        and last_name(part.func) in ALL
        and is_placed(file, part, block)
        for part in nodes_in(single_value(moved, block) or moved)
    )


def _is_new_on_host(value: Value) -> bool:
    known = value.evidence.home > Rank.NAMED and value.evidence.origin > Rank.PASSED and value.confidence >= _SURE
    return known and value.is_tensor and value.home is Home.HOST and value.origin is Origin.FACTORY


def _goes_to_device(file: SemanticModel, call: ast.Call, block: Block) -> bool:
    """Whether the target is a device: by its name, or that of a tensor that is not known to lie on the host."""
    target = argument(call, "device", 0)
    if last_name(call.func) == "cuda":
        return True
    if target is None:
        return False
    if isinstance(target, ast.Attribute) and target.attr == "device":
        like = file.kinds.of(target.value, block)
        if like.kind is Kind.TENSOR and like.home is Home.HOST:
            return False
    if last_name(call.func) == "type_as":
        like = file.kinds.of(target, block)
        return like.on_device and like.origin is not Origin.NAME and like.confidence >= _SURE_OF_TARGET
    return file.kinds.device_argument(call, block) is Home.DEVICE
