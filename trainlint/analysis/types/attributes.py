"""What an attribute of a value holds, and what a class assigns to `self.<name>`."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Binding, Block, Class, How, Place
from trainlint.analysis.syntax.names import constant, dotted, end_position, last_name, position
from trainlint.analysis.tables import tensor_attributes
from trainlint.analysis.types.access_paths import AccessPath, Start, extended_paths
from trainlint.analysis.types.parameters import annotation_value
from trainlint.analysis.types.structures.displays import is_long_display
from trainlint.analysis.types.structures.fillings import as_table, filled_with, one_of_put, starts_empty
from trainlint.analysis.types.structures.project_classes import (
    annotated_record,
    field_value,
    is_record,
    object_of,
    optimizer_state,
    parameter_groups,
)
from trainlint.analysis.types.values import (
    NUMBER,
    STRING,
    UNKNOWN,
    Kind,
    Origin,
    Value,
    merge,
    somewhere,
)
from trainlint.analysis.types.vocabulary import by_name

if TYPE_CHECKING:
    from trainlint.analysis.types.inference import Kinds

_PLAIN_TENSORS = frozenset({Origin.PARAMETER, Origin.FACTORY, Origin.LOSS})
"""Tensors that are surely no objects which hold tensors, as batches and outputs may be."""
_OBJECTS = frozenset({Kind.UNKNOWN, Kind.CONTAINER})
"""Kinds of what may be an object of a class of the file that holds values: a named tuple is a container."""
_OF_ANYTHING = {
    "device": Value(Kind.DEVICE),
    "dtype": Value(Kind.DTYPE),
    "shape": Value(Kind.SHAPE),
    "training": NUMBER,
}
"""Attributes that mean the same whatever has them."""
_OF_DEVICE = {"type": STRING, "index": NUMBER}
_OF_OPTIMIZER = {"param_groups": parameter_groups, "state": optimizer_state}
_PARAMETERS_OF_MODULE = frozenset({"weight", "bias", "logit_scale"})
_INNER_MODULES = frozenset({"module", "model"})
"""Attributes by which wrappers of modules hand out what they wrap."""
_ROWS = frozenset({"loc", "iloc", "at", "iat", "values"})
"""Attributes by which rows and cells are taken from a table of pandas."""
_DEEPEST_BASE = 6


def attribute_value(kinds: Kinds, node: ast.Attribute, block: Block) -> Value:
    """An attribute of a value of the file."""
    stored = _stored_before(kinds, node, block)
    if stored is not None:
        return stored
    base = kinds.of(node.value, block)
    if base.kind in _OBJECTS and (node.attr in kinds.names_in_classes or kinds.has_records):
        owner = kinds.graph.instance_class(node.value, block)
        if owner is not None and (node.attr in owner.attributes or is_record(owner)):
            return kinds.self_attribute(owner, node.attr)
        record = annotated_record(kinds, node.value, block)
        held = kinds.self_attribute(record, node.attr) if record is not None else UNKNOWN
        if held.is_tensor or held.kind is Kind.CONTAINER:  # objects are followed by what callers pass
            return held
    found = _attribute_of(kinds, base, node.attr)
    if base.access_paths and (not found.access_paths or found is base):
        return found.with_access_paths(*extended_paths(base.access_paths, node.attr))
    return found


def _stored_before(kinds: Kinds, node: ast.Attribute, block: Block) -> Value | None:
    """What the same function surely assigned to the same attribute of the same object before; None where open."""
    stores = kinds.outline.stores.get(node.attr)
    target = dotted(node) if stores and isinstance(node.ctx, ast.Load) else None
    if not stores or target is None:
        return None
    last = _last_store(kinds, stores, target, node, block)
    if last is None or not block.within(last.block) or not isinstance(last.statement, ast.Assign):
        return None
    root = target.partition(".")[0]
    scope = block.scope.owner(root)
    bindings = scope.bindings[root] if scope is not None else ()
    if any(end_position(last.statement) < binding.position <= position(node) for binding in bindings):
        return None
    found = kinds.of(last.statement.value, last.block)
    return found if found.kind is not Kind.UNKNOWN else None


def _last_store(kinds: Kinds, stores: Iterable[Place], target: str, node: ast.Attribute, block: Block) -> Place | None:
    """The last plain assignment to an attribute before a use, of those in the same function."""
    around = kinds.outline.enclosing(block)
    before = [
        place
        for place in stores
        if isinstance(place.statement, ast.Assign)
        and any(dotted(each) == target for each in place.statement.targets)
        and kinds.outline.enclosing(place.block) is around
        and end_position(place.statement) <= position(node)
    ]
    return before[-1] if before else None


def is_summed(owner: Class, name: str) -> bool:
    """Whether a class adds something to `self.<name>` in place: `self.seen += count`."""
    return any(item.how is How.AUGMENT for item in owner.attributes.get(name, ()))


def sum_before(kinds: Kinds, owner: Class, node: ast.Attribute, block: Block) -> Value:
    """The tensor that the same function surely added to a number in `self.<name>` before; else UNKNOWN."""
    around = kinds.outline.enclosing(block)
    for binding in reversed(owner.attributes[node.attr]):
        if kinds.outline.enclosing(binding.block) is not around or binding.position > position(node):
            continue
        if binding.how is not How.AUGMENT:
            return UNKNOWN  # it starts anew
        if block.within(binding.block):
            added = kinds.binding(binding)
            if added.is_tensor:
                return added
    return UNKNOWN


def _attribute_of(kinds: Kinds, base: Value, name: str) -> Value:
    """What an attribute holds, by the kind of what has it and by its name."""
    if name in _OF_ANYTHING:
        return _OF_ANYTHING[name]
    if base.is_tensor:
        return _tensor_attribute(kinds, base, name)
    if base.kind is Kind.MODULE:
        return _module_attribute(kinds, name)
    if base.kind is Kind.DEVICE and name in _OF_DEVICE:
        return _OF_DEVICE[name]
    if base.kind is Kind.OPTIMIZER and name in _OF_OPTIMIZER:
        return _OF_OPTIMIZER[name](kinds.device)
    if base.kind is Kind.UNKNOWN and name == "grad":
        return Value(Kind.TENSOR, kinds.device, False, Origin.PARAMETER, 0.8)
    if base.kind is Kind.ARRAY and name in _ROWS:
        return base
    return by_name(name, kinds.device) or UNKNOWN


def _module_attribute(kinds: Kinds, name: str) -> Value:
    if name in _PARAMETERS_OF_MODULE:
        return Value(Kind.TENSOR, kinds.device, True, Origin.PARAMETER)
    if name in _INNER_MODULES:
        return Value(Kind.MODULE, confidence=0.8)
    return by_name(name, kinds.device) or UNKNOWN


def _tensor_attribute(kinds: Kinds, base: Value, name: str) -> Value:
    if name in tensor_attributes.SIZES:
        return Value(Kind.SHAPE)
    if name in tensor_attributes.TEXTS:
        return STRING
    if name in tensor_attributes.NUMBERS or name.startswith("is_"):
        return NUMBER
    if name in tensor_attributes.OBJECTS:
        return UNKNOWN
    if name in ("data", "grad"):
        return base.detached()
    if base.origin in _PLAIN_TENSORS and name not in tensor_attributes.VIEWS:
        return UNKNOWN
    return base


def assigned_to_self(kinds: Kinds, owner: Class, name: str, depth: int) -> Value:
    """What `self.<name>` holds in a class: by what it assigns, its bases in the file, and what other files say."""
    field = field_value(kinds, owner, name)
    if field is not None:
        return field
    bindings = [item for item in owner.attributes.get(name, []) if item.how is not How.AUGMENT]
    if bindings:
        return _assigned_attribute(kinds, owner, name, bindings)
    if depth < _DEEPEST_BASE:
        for base in owner.node.bases:
            parent = kinds.outline.classes.get(last_name(base))
            if parent is not None and parent is not owner and name in parent.attributes:
                return kinds.self_attribute(parent, name, depth + 1)
    if name in _OF_OPTIMIZER and object_of(kinds, owner).kind is Kind.OPTIMIZER:
        # Whoever wrote the optimizer, programs choose where the parameters are that they give it.
        return _OF_OPTIMIZER[name](kinds.computing_home)
    if name in _OF_ANYTHING:
        return _OF_ANYTHING[name]
    registered = _buffer_or_parameter(kinds, owner, name)
    if registered is not None:
        return registered
    return kinds.named(name, somewhere(AccessPath(Start.INSTANCE, owner.name, path=(name,))))


def _assigned_attribute(kinds: Kinds, owner: Class, name: str, bindings: list[Binding]) -> Value:
    """What an attribute holds by its annotation as a number or text, or else by all that is assigned to it."""
    for item in bindings:
        annotated = annotation_value(item.node.annotation) if isinstance(item.node, ast.AnnAssign) else None
        if annotated is not None and annotated.kind in (Kind.NUMBER, Kind.STRING):
            return annotated
    found = merge([kinds.binding(item) for item in bindings])
    if owner.fillings.get(name) and starts_empty(found):
        found = filled_with(found, one_of_put(kinds, owner.fillings[name], name))
    if len(bindings) == 1 and is_long_display(bindings[0].value):
        found = as_table(found, AccessPath(Start.INSTANCE, owner.name, path=(name,)))
    return found if found.kind is not Kind.UNKNOWN else kinds.named(name, found)


def _buffer_or_parameter(kinds: Kinds, owner: Class, name: str) -> Value | None:
    """A buffer or parameter that the class registers under a name: it moves with the module."""
    for register in ("register_buffer", "register_parameter"):
        for place in kinds.outline.calls.get(register, ()):
            call = place.node
            function = kinds.graph.enclosing(place.block)
            if isinstance(call, ast.Call) and function is not None and function.owner is owner and call.args:
                if constant(call.args[0]) == name:
                    attached = register == "register_parameter"
                    return Value(Kind.TENSOR, kinds.device, attached, Origin.PARAMETER)
    return None
