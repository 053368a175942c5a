"""What a function's parameter holds: by annotation, by what callers pass, by its default, by its role."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Binding, Function
from trainlint.analysis.syntax.names import last_name
from trainlint.analysis.types.access_paths import AccessPath, Start
from trainlint.analysis.types.calls.scattered_arguments import handed_over
from trainlint.analysis.types.evidence import ASSUMED_HOME, NAMED, Rank
from trainlint.analysis.types.structures.constructions import constructions
from trainlint.analysis.types.structures.structure import calls_of_lambda, leaf_given
from trainlint.analysis.types.values import UNKNOWN, Home, Kind, Origin, Value, constant_value, merge
from trainlint.analysis.types.vocabulary import ANNOTATIONS, by_name

if TYPE_CHECKING:
    from trainlint.analysis.types.inference import Kinds

_ANNOTATED = 0.85
"""How sure it is that a tensor is where an annotated parameter is taken to be."""
_BATCH_RECEIVERS = frozenset(
    {
        "training_step",
        "validation_step",
        "test_step",
        "compute_loss",
        "prediction_step",
        "predict_step",
    }
)
"""Hooks that a framework hands a batch to."""


def parameter_value(kinds: Kinds, binding: Binding) -> Value:
    """The value of a parameter, by the most telling of what is known of it."""
    function = kinds.outline.function_of.get(binding.block.node)
    found = _value(kinds, binding, function)
    if function is None:
        return found
    owner = function.owner
    if owner is not None and _is_own_object(function, binding.node):
        start = Start.LOCAL if function.is_decorated("classmethod") else Start.INSTANCE
        return found.with_access_paths(AccessPath(start, owner.name))
    return found.with_access_paths(AccessPath(Start.PARAMETER, kinds.keys.function(function), binding.name))


def _is_own_object(function: Function, parameter: ast.AST) -> bool:
    """Whether a parameter is the object, or with a class method the class, that a method is called on."""
    return function.takes_object and function.parameters[0] is parameter


def _value(kinds: Kinds, binding: Binding, function: Function | None) -> Value:
    arg = binding.node
    assert isinstance(arg, ast.arg)
    annotated = annotation_value(arg.annotation)
    if annotated is not None and (function is None or not tells_only_kind(annotated)):
        return _at_home(kinds, annotated) if annotated.is_tensor else annotated
    if function is None:
        return UNKNOWN
    if function.owner is not None and _is_own_object(function, arg):
        return Value(Kind.MODULE) if kinds.is_module_class(function.owner) else UNKNOWN
    known = with_callers(kinds, annotated, _arguments(kinds, function, arg.arg))
    if known.kind is not Kind.UNKNOWN:
        return known
    default = _default(kinds, function, binding.value)
    if default.kind is not Kind.UNKNOWN:
        return default
    return _by_role(kinds, function, arg.arg, has_default=binding.value is not None)


def tells_only_kind(annotated: Value) -> bool:
    """Whether an annotation leaves open where a tensor is and where it comes from, which callers may tell."""
    if annotated.kind is Kind.CONTAINER:
        parts = annotated.items or (annotated.element,)
        return any(part is None or part.kind is Kind.UNKNOWN or tells_only_kind(part) for part in parts)
    return annotated.is_tensor


def with_callers(kinds: Kinds, annotated: Value | None, given: Value) -> Value:
    """A parameter or field of an annotated kind, with what callers tell of the rest."""
    if annotated is None:
        return given.passed() if given.kind is not Kind.UNKNOWN else UNKNOWN
    if not tells_only_kind(annotated):
        return annotated
    if annotated.kind is Kind.CONTAINER:
        if given.is_tensor and given.origin is Origin.BATCH:
            return annotated.holding(given.passed(), _with_batch(annotated.items, given.passed()))
        if given.kind is Kind.CONTAINER and given.element is not None:
            return annotated.holding(given.element.passed(), given.items or annotated.items)
        return annotated
    if not given.is_tensor:
        return _at_home(kinds, annotated)
    given = given.passed()
    if given.home is Home.UNKNOWN:
        given = replace(given, home=kinds.device, evidence=given.evidence._replace(home=Rank.NAMED))
    return replace(
        given, confidence=max(given.confidence, _ANNOTATED), evidence=given.evidence._replace(kind=Rank.DECLARED)
    )


def _with_batch(items: tuple[Value, ...], batch: Value) -> tuple[Value, ...]:
    """The annotated items of a batch: those that may be tensors come from the loader, others keep their kind."""
    return tuple([batch if item.is_tensor or item.kind is Kind.UNKNOWN else item for item in items])


def _default(kinds: Kinds, function: Function, default: ast.expr | None) -> Value:
    """What a default says of a parameter; UNKNOWN for None, which says that something else may be passed."""
    if default is None:
        return UNKNOWN
    if isinstance(default, ast.Constant):
        return UNKNOWN if default.value is None else replace(constant_value(default.value), literal=False)
    return kinds.of(default, function.outside)


def _by_role(kinds: Kinds, function: Function, name: str, *, has_default: bool) -> Value:
    """What PyTorch passes to `forward` of a module, and a framework to a hook."""
    if function.name == "forward" and function.owner is not None and kinds.is_module_class(function.owner):
        named = by_name(name, kinds.device)
        if named is not None or has_default:
            return named or UNKNOWN
        return Value(Kind.TENSOR, kinds.device, True, Origin.OTHER, 0.7, evidence=NAMED)
    if function.name in _BATCH_RECEIVERS and name in ("batch", "data", "inputs", "samples"):
        return Value(Kind.TENSOR, kinds.device, False, Origin.BATCH, 0.9, evidence=ASSUMED_HOME)
    return UNKNOWN


_MOST_CALLERS = 100
"""A function that a file calls more often than this is a helper that is given anything, as in linking."""


def _arguments(kinds: Kinds, function: Function, name: str) -> Value:
    """What callers in the file pass for a parameter; UNKNOWN where they are so many that it may be anything."""
    callers = kinds.graph.callers.get(function, [])
    if len(callers) > _MOST_CALLERS:
        return UNKNOWN
    found: list[Value] = []
    if isinstance(function.node, ast.Lambda):
        found += [leaf_given(kinds, function, name, place) for place in calls_of_lambda(kinds, function)]
    for edge in callers:
        call = edge.place.node
        if not edge.passed and isinstance(call, ast.Call):
            given = function.argument_in(call, name)
            if given is not None:
                found.append(handed_over(kinds, call, given, edge.place.block))
        elif edge.passed:
            found.append(leaf_given(kinds, function, name, edge.place))
    if function.name == "__init__" and function.owner is not None:
        for place, call in constructions(kinds, function.owner):
            given = function.argument_in(call, name)
            if given is not None:
                found.append(kinds.of(given, place.block))
    return merge(found)


def _at_home(kinds: Kinds, value: Value) -> Value:
    return replace(value, home=kinds.device, confidence=_ANNOTATED)


def annotation_value(node: ast.expr | None) -> Value | None:
    """The kind that an annotation names; None where it names none that rules know."""
    if node is None:
        return None
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return ANNOTATIONS.get(node.value.rpartition(".")[2].rstrip("]"))
    if isinstance(node, ast.BinOp):
        return annotation_value(node.left) or annotation_value(node.right)
    if isinstance(node, ast.Subscript):
        outer = last_name(node)
        if outer in ("Optional", "Annotated", "Final"):
            inner = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
            return annotation_value(inner)
        if outer in ("Tuple", "tuple") and isinstance(node.slice, ast.Tuple):
            return _tuple_value(node.slice.elts)
        if outer in ("List", "list", "Tuple", "tuple", "Dict", "dict", "Sequence", "Iterable", "Mapping"):
            inner = node.slice.elts[-1] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
            return Value(Kind.CONTAINER, element=annotation_value(inner))
        return ANNOTATIONS.get(outer)
    return ANNOTATIONS.get(last_name(node))


def _tuple_value(parts: list[ast.expr]) -> Value:
    """`tuple[A, B]` holds one value of each; `tuple[A, ...]` any number of one kind."""
    if len(parts) == 2 and isinstance(parts[1], ast.Constant) and parts[1].value is ...:
        return Value(Kind.CONTAINER, element=annotation_value(parts[0]))
    items = tuple([annotation_value(part) or UNKNOWN for part in parts])
    alike = len({item.kind for item in items}) == 1
    return Value(
        Kind.CONTAINER, element=items[0] if items and alike and items[0].kind is not Kind.UNKNOWN else None, items=items
    )
