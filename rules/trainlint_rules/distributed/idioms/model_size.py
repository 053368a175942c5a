"""From the expression of a model back to the name or the configuration that says how large it is."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, replace

from trainlint.analysis.syntax.blocks import Binding, Block, Function, How
from trainlint.analysis.syntax.names import argument, constant, has_unpacked_arguments, last_name, position
from trainlint.analysis.syntax.reaching import reaching, single_value
from trainlint.analysis.tables.module_methods import RETURN_SELF
from trainlint.analysis.types.batches import passed
from trainlint.analysis.types.inference import Kinds
from trainlint_rules.distributed.idioms.model_sizes import (
    arguments_that_count,
    parameters_in_name,
    parameters_of_config,
)

_DEEPEST = 12
_PASSING_FUNCTIONS = frozenset({"compile", "convert_sync_batchnorm"})
_HALF = frozenset({"bfloat16", "float16", "half", "auto"})


@dataclass(frozen=True, slots=True)
class DeclaredSize:
    """How large a model is by what the file says of it."""

    parameters: float
    source: str
    """What says so, as it is written: a model's name, or a configuration."""
    exact: bool
    """Counted from a configuration; a size in a name is a rounded one."""
    half: bool = False
    """Whether the weights themselves are stored in 16 bits."""


def declared_size(kinds: Kinds, model: ast.expr, block: Block, depth: int = 0) -> DeclaredSize | None:
    """The size of a model that an expression gives; None where the file does not say, or says several things."""
    if depth > _DEEPEST:
        return None
    if isinstance(model, ast.Name):
        return _size_of_bindings(kinds, reaching(model.id, block, position(model)), depth)
    if isinstance(model, ast.Attribute) and isinstance(model.value, ast.Name):
        owner = kinds.graph.self_class(model.value, block)
        bindings = owner.attributes.get(model.attr, []) if owner is not None else []
        return _size_of_bindings(kinds, [item for item in bindings if item.position < position(model)], depth)
    return _of_call(kinds, model, block, depth) if isinstance(model, ast.Call) else None


def _size_of_bindings(kinds: Kinds, bindings: Iterable[Binding], depth: int) -> DeclaredSize | None:
    return _common_size([_of_binding(kinds, binding, depth) for binding in bindings])


def _common_size(found: list[DeclaredSize | None]) -> DeclaredSize | None:
    return found[0] if len(set(found)) == 1 else None


def _of_binding(kinds: Kinds, binding: Binding, depth: int) -> DeclaredSize | None:
    if binding.how is How.ASSIGN and binding.value is not None and not binding.path:
        return declared_size(kinds, binding.value, binding.block, depth + 1)
    function = kinds.outline.function_of.get(binding.block.node)
    if binding.how is How.PARAMETER and function is not None:
        return _of_parameter(kinds, function, binding.name, depth)
    return None


def _of_parameter(kinds: Kinds, function: Function, name: str, depth: int) -> DeclaredSize | None:
    """What the callers in the file pass, where all of them agree."""
    names = [item.arg for item in function.parameters]
    found: list[DeclaredSize | None] = []
    for edge in kinds.graph.callers.get(function, []):
        call = edge.place.node
        given = argument(call, name, names.index(name)) if isinstance(call, ast.Call) and not edge.passed else None
        found.append(declared_size(kinds, given, edge.place.block, depth + 1) if given is not None else None)
    return _common_size(found)


def _of_call(kinds: Kinds, call: ast.Call, block: Block, depth: int) -> DeclaredSize | None:
    name = last_name(call.func)
    if name == "from_pretrained":
        return _size_in_model_name(kinds, call, block, half=_loads_half(call))
    if isinstance(call.func, ast.Attribute) and name in RETURN_SELF and kinds.imported(call.func, block) is None:
        return _cast(call, declared_size(kinds, call.func.value, block, depth + 1))
    if name in _PASSING_FUNCTIONS and call.args:
        return declared_size(kinds, call.args[0], block, depth + 1)
    edge = kinds.graph.callee.get(call)
    if edge is not None and not edge.passed:
        return _returned(kinds, edge.function, depth)
    origin = kinds.imported(call.func, block)
    if origin is not None and origin.startswith("transformers.") and call.args:
        return _configured(kinds, call, block)
    return None


def _cast(call: ast.Call, size: DeclaredSize | None) -> DeclaredSize | None:
    """The size of a model after a method call, which may cast its weights to 16 bits."""
    casts = last_name(call.func) in _HALF or any(last_name(item) in _HALF for item in call.args)
    return replace(size, half=True) if size is not None and casts else size


def _returned(kinds: Kinds, function: Function, depth: int) -> DeclaredSize | None:
    """The size of what a function returns, where all its returns agree."""
    values = [(place.node.value, place.block) for place in function.returns if isinstance(place.node, ast.Return)]
    return _common_size([declared_size(kinds, value, block, depth + 1) if value else None for value, block in values])


def _size_in_model_name(kinds: Kinds, call: ast.Call, block: Block, *, half: bool) -> DeclaredSize | None:
    given = argument(call, "pretrained_model_name_or_path", 0)
    name = _text(kinds, given, block, _DEEPEST) if given is not None else None
    if name is None:
        return None
    parameters = parameters_in_name(name)
    return DeclaredSize(parameters, f'"{name}"', exact=False, half=half) if parameters is not None else None


def _text(kinds: Kinds, node: ast.expr, block: Block, depth: int) -> str | None:
    """The text that an expression surely is: a literal, a name for one, or what all callers in the file pass."""
    value = constant(node)
    if isinstance(value, str):
        return value
    if not isinstance(node, ast.Name) or not depth:
        return None
    found: list[str | None] = []
    for binding in reaching(node.id, block, position(node)):
        function = kinds.outline.function_of.get(binding.block.node)
        if binding.how is How.ASSIGN and binding.value is not None and not binding.path:
            found.append(_text(kinds, binding.value, binding.block, depth - 1))
        elif binding.how is How.PARAMETER and function is not None:
            given = list(passed(kinds.graph, function, binding.name))
            found += [_text(kinds, item, outer, depth - 1) for item, outer in given] or [None]
        else:
            found.append(None)
    return found[0] if len(set(found)) == 1 else None


def _loads_half(call: ast.Call) -> bool:
    given = argument(call, "torch_dtype") or argument(call, "dtype")
    return given is not None and (last_name(given) in _HALF or constant(given) in _HALF)


def _configured(kinds: Kinds, call: ast.Call, block: Block) -> DeclaredSize | None:
    """The size of `Model(config)` and `AutoModel.from_config(config)`."""
    config: ast.expr | None = call.args[0]
    if isinstance(config, ast.Name):
        config = single_value(config, block)
    if not isinstance(config, ast.Call):
        return None
    if last_name(config.func) == "from_pretrained":
        return _size_in_model_name(kinds, config, block, half=_loads_half(call))
    name = (kinds.imported(config.func, block) or "").rpartition(".")[2]
    if config.args or has_unpacked_arguments(config):
        return None
    given: dict[str, float] = {}
    for keyword in config.keywords:
        if keyword.arg in arguments_that_count(name):
            value = constant(keyword.value)
            if value is not None and not isinstance(value, int):
                return None
            given[keyword.arg or ""] = value or 0
    parameters = parameters_of_config(name, given)
    if parameters is None:
        return None
    return DeclaredSize(parameters, f"`{name}`", exact=True, half=_loads_half(call))
