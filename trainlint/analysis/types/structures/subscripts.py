"""What a subscript gives: an item of a tuple, what stands under a key, a group of an optimizer."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.syntax.names import branches, constant
from trainlint.analysis.types.access_paths import ANY, extended_paths
from trainlint.analysis.types.evidence import Rank
from trainlint.analysis.types.reflection import own_module
from trainlint.analysis.types.structures.fillings import MOST_FILLINGS
from trainlint.analysis.types.structures.structure import stored_in_attribute, stored_item
from trainlint.analysis.types.values import UNKNOWN, Home, Kind, Origin, Value
from trainlint.analysis.types.vocabulary import COUNT_NAME, by_name

if TYPE_CHECKING:
    from trainlint.analysis.types.inference import Kinds

_PARAMETERS_OF_GROUP = "params"


def subscript_value(kinds: Kinds, node: ast.Subscript, block: Block) -> Value:
    """What indexing or slicing a value of the file gives."""
    base = kinds.of(node.value, block)
    if isinstance(node.value, (ast.Dict, ast.Tuple, ast.List)):
        return kinds.element(base)
    if base.kind is Kind.SHAPE and isinstance(node.slice, ast.Slice):
        return base
    if base.kind is Kind.LOADER and base.evidence.kind <= Rank.NAMED:  # a dict or list of loaders: none has items
        return base.with_access_paths(*extended_paths(base.access_paths, ANY))
    place = constant(node.slice)
    if isinstance(place, str) and base.kind is Kind.UNKNOWN:
        known = () if COUNT_NAME.search(place) else extended_paths(base.access_paths, ANY)
        return (by_name(place, kinds.device) or UNKNOWN).with_access_paths(*known)
    if base.access_paths and base.access_paths[0].of == "sys.modules":
        return UNKNOWN.with_access_paths(*own_module(node, kinds.imported(node.value, block)))
    if isinstance(place, int) and base.items:
        return kinds.item(base, place)
    if isinstance(place, str):
        return _item_under_key(kinds, base, place, node, block)
    return _element_or_stored(kinds, base, node, block)


def _item_under_key(kinds: Kinds, base: Value, key: str, node: ast.Subscript, block: Block) -> Value:
    """What a container holds under a text, which may also tell by its wording."""
    if base.kind is Kind.CONTAINER and _is_of_optimizer(base):
        return _item_of_optimizer(kinds, base, key)
    found = _element_or_stored(kinds, base, node, block)
    if found.kind is Kind.UNKNOWN:
        return kinds.named(key, found)
    if base.kind is Kind.MODULE and base.evidence.kind <= Rank.NAMED:  # a guess, as is the key's
        return by_name(key, kinds.device) or found
    if found.is_tensor and COUNT_NAME.search(key) and found == kinds.element(base):  # no store in sight tells more
        return found.less_certain()
    return found


def _element_or_stored(kinds: Kinds, base: Value, node: ast.Subscript, block: Block) -> Value:
    """What the file stored before under the key that is read, or else any element of the container."""
    if base.kind is Kind.ARRAY and base.element is not None and kinds.of(node.slice, block).kind is not Kind.NUMBER:
        return base
    found = kinds.element(base)
    if constant(node.slice) is None:
        return found
    if type(node.value) is ast.Name and node.value.id in kinds.outline.fillings:
        return stored_item(kinds, node, block, found)
    return stored_in_attribute(kinds, node, block, found)


def _item_of_optimizer(kinds: Kinds, base: Value, key: str) -> Value:
    """What a group of parameters, or the state of one, holds under a key: a tensor only where the file stores one.

    Counters and settings stand beside the tensors.
    """
    assert base.element is not None
    if base.element.kind is Kind.CONTAINER:
        return base.element if key == _PARAMETERS_OF_GROUP else UNKNOWN
    stored = [
        kinds.of(part, place.block)
        for place in kinds.outline.stores.get(key, ())[:MOST_FILLINGS]
        if isinstance(place.node, ast.Assign)
        for part in branches(place.node.value)
    ]
    if not stored or not all(value.is_tensor for value in stored):
        return UNKNOWN
    on_host = next((value for value in stored if value.home is Home.HOST and value.origin is Origin.FACTORY), None)
    return on_host or base.element  # a counter, which only options such as `capturable` put beside the parameter


def _is_of_optimizer(value: Value) -> bool:
    """Whether a dict is a group of parameters, or the state of one."""
    held = value.element
    while held is not None and held.kind is Kind.CONTAINER:
        held = held.element
    return held is not None and held.is_tensor and held.origin is Origin.PARAMETER
