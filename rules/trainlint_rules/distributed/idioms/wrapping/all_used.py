"""Whether every parameter of a model surely gets a gradient in each step.

That is so for layers of `torch.nn`, for a `Sequential` of such, and for a module of the file whose forward has no
branch, uses each part that `__init__` makes, and returns one value.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.names import last_name, nodes_in
from trainlint.analysis.syntax.reaching import single_value
from trainlint.analysis.tables.host_reads import ITEM
from trainlint.analysis.tables.parallel import Wrapper, called_as
from trainlint.analysis.types.parameters import annotation_value
from trainlint.analysis.types.values import Kind

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel
    from trainlint.analysis.syntax.blocks import Binding, Block, Class, Function

_SAME_MODEL = frozenset("to cuda cpu train float half bfloat16 double compile".split())
_OF_PARTS = called_as(Wrapper.DATA_PARALLEL) | frozenset(
    "Module ModuleDict ParameterList ParameterDict MultiheadAttention".split()
)
"""Classes of `torch.nn` that do not use all that they hold by themselves."""
_BRANCHES = (ast.If, ast.IfExp, ast.BoolOp, ast.While, ast.Try, ast.With, ast.Match, ast.Lambda)
_CUTS_GRAPH = frozenset("detach detach_ data argmax argmin round sign floor ceil no_grad checkpoint numpy".split())
"""Besides `item`."""
_PARAMETERS = ("torch.nn.Parameter", "torch.nn.parameter.Parameter")
_DEEPEST = 6


def uses_all_parameters(file: SemanticModel, model: ast.expr, block: Block, depth: int = 0) -> bool:
    """Whether all parameters of what an expression makes surely get gradients; False where that is not in sight."""
    if depth > _DEEPEST:
        return False
    if isinstance(model, ast.Name):
        bindings = file.outline.bindings(model, block)
        made = single_value(model, block)
        return len(bindings) == 1 and made is not None and uses_all_parameters(file, made, bindings[0].block, depth + 1)
    if not isinstance(model, ast.Call):
        return False
    origin = file.kinds.imported(model.func, block) or ""
    if not origin and isinstance(model.func, ast.Attribute) and model.func.attr in _SAME_MODEL:
        return uses_all_parameters(file, model.func.value, block, depth + 1)
    if origin.startswith("torch.nn."):
        return _layer_uses_all(file, model, block, depth)
    cls = file.graph.class_named(model.func, block) if isinstance(model.func, ast.Name) else None
    return cls is not None and _class_uses_all(file, cls, depth)


def _layer_uses_all(file: SemanticModel, layer: ast.Call, block: Block, depth: int) -> bool:
    name = last_name(layer.func)
    if name not in ("Sequential", "ModuleList"):
        return name not in _OF_PARTS
    parts: list[ast.expr] = []
    for item in layer.args:
        match item:
            case ast.ListComp(elt=part) | ast.Starred(value=ast.ListComp(elt=part) | ast.GeneratorExp(elt=part)):
                parts.append(part)
            case ast.List(elts=several):
                parts += several
            case _:
                parts.append(item)
    return bool(parts) and all(uses_all_parameters(file, part, block, depth + 1) for part in parts)


def _class_uses_all(file: SemanticModel, cls: Class, depth: int) -> bool:
    first, forward = cls.methods.get("__init__"), cls.methods.get("forward")
    if first is None or forward is None or [last_name(base) for base in cls.node.bases] != ["Module"]:
        return False
    if not _is_straight(forward):
        return False
    used = {part.attr for part in nodes_in(forward.node) if isinstance(part, ast.Attribute)}
    registered = {"register_parameter", "add_module", "setattr", "register_module"}
    if any(last_name(part) in registered for part in nodes_in(first.node) if isinstance(part, ast.Call)):
        return False
    return all(
        _holds_no_parameters(file, binding, first) or (name in used and _part_uses_all(file, binding, depth))
        for name, bindings in cls.attributes.items()
        for binding in bindings
    )


def _returns_one_value(nodes: Iterable[ast.AST]) -> bool:
    returned = [part.value for part in nodes if isinstance(part, ast.Return)]
    return len(returned) == 1 and not (returned[0] is None or isinstance(returned[0], ast.Tuple | ast.Dict | ast.List))


def _is_straight(forward: Function) -> bool:
    """Whether a forward always runs all of its code, uses what it computes, and returns one value."""
    nodes = nodes_in(forward.node)
    if not _returns_one_value(nodes) or any(isinstance(part, _BRANCHES) for part in nodes):
        return False
    cuts = _CUTS_GRAPH | {ITEM.name}
    if any(last_name(part) in cuts for part in nodes if isinstance(part, ast.Attribute | ast.Name)):
        return False
    names = [part for part in nodes if isinstance(part, ast.Name)]
    read = {part.id for part in names if isinstance(part.ctx, ast.Load)}
    return all(part.id in read for part in names if isinstance(part.ctx, ast.Store))


def _holds_no_parameters(file: SemanticModel, binding: Binding, first: Function) -> bool:
    """Whether an attribute holds a plain number or text."""
    value = binding.value
    if value is None or binding.path:
        return False
    if isinstance(value, ast.Name):
        arguments = {item.arg: item.annotation for item in first.parameters}
        annotated = annotation_value(arguments.get(value.id))
        if annotated is not None:
            return annotated.kind in (Kind.NUMBER, Kind.STRING)
    return file.kinds.of(value, binding.block).kind in (Kind.NUMBER, Kind.STRING, Kind.NONE, Kind.DTYPE, Kind.SHAPE)


def _part_uses_all(file: SemanticModel, binding: Binding, depth: int) -> bool:
    if binding.value is None or binding.path:
        return False
    if isinstance(binding.value, ast.Call):
        if file.kinds.imported(binding.value.func, binding.block) in _PARAMETERS:
            return True
    return uses_all_parameters(file, binding.value, binding.block, depth + 1)
