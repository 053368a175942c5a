"""Indexing that makes the host wait for the device, since what it asks for lies in the device's memory."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from trainlint.analysis.effects.reads import explicit_read, implicit_read
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.syntax.blocks import Block, Place
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import nodes_in
from trainlint.analysis.syntax.reaching import single_value
from trainlint.analysis.syntax.uses import own_nodes
from trainlint.analysis.types.values import Kind, Origin, Value
from trainlint_rules.sync.idioms.host_lists import is_list
from trainlint_rules.sync.idioms.masks import mask_confidence
from trainlint_rules.sync.idioms.same_names import ByName, by_name, same_value

_INDEXED_BY_AXES = 0.8
"""A name says little, but an index of several axes shows an array, and the file's arrays are tensors."""
_DEEPEST = 8
_FROM_START = "gather a fixed number of positions: `start[:, None] + torch.arange(size, device=...)`"
_UP_TO_LENGTH = (
    "take the length from the batch before the copy to the GPU, or compare positions with it: "
    "`torch.arange(n, device=...) < length`"
)


@dataclass(frozen=True, slots=True)
class IndexSync:
    """One index that the host must read, or count, before it can go on."""

    how: str
    """What the indexing costs, as a fact."""
    instead: str
    """What to do about it."""
    confidence: float
    mask: ast.expr | None = None
    """The boolean mask; None where something else makes the host wait."""


def index_sync(file: SemanticModel, node: ast.Subscript, block: Block, statement: ast.stmt) -> IndexSync | None:
    """Why indexing waits for the device; None where it does not, or where too little is known.

    Assigning one number through a mask fills in place and waits for nothing; assigning a tensor counts the mask first.
    """
    base = file.kinds.of(node.value, block)
    if isinstance(node.ctx, ast.Del) or base.kind in (Kind.ARRAY, Kind.STRING, Kind.SHAPE):
        return None
    found: IndexSync | None = None
    for part in node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]:
        if isinstance(part, ast.Slice):
            found = _bounds(file, part, block)
        elif isinstance(part, ast.Constant):
            found = None
        elif not base.is_tensor and is_list(single_value(node.value, block) or node.value):
            found = _of_list(file, node, part, block)
        elif base.kind is not Kind.CONTAINER:
            found = _mask(file, node, part, base, block, statement)
        if found is not None:
            return found
    return None


def _bounds(file: SemanticModel, part: ast.Slice, block: Block) -> IndexSync | None:
    for bound in (part.lower, part.upper, part.step):
        if bound is None or isinstance(bound, ast.Constant) or _starts_at_number(bound, block):
            continue
        value = file.kinds.of(bound, block)
        confidence = implicit_read(value, bound, block)
        if confidence and value.origin is Origin.NAME and _shows_axes(bound, block):
            confidence = _INDEXED_BY_AXES
        if confidence:
            moves = part.lower is not None and not _is_number(part.lower)
            instead = _FROM_START if moves else _UP_TO_LENGTH
            return IndexSync("a slice bound on the device forces a GPU sync", instead, confidence)
    return None


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) or (isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant))


def _starts_at_number(node: ast.expr, block: Block) -> bool:
    """Whether a bound is a number in one case of two, as `0 if cache is None else cache.length`: training has none."""
    parts = [part for part in nodes_in(node) if isinstance(part, ast.Name)]
    made = [node, *(value for part in parts if (value := single_value(part, block)) is not None)]
    return any(
        isinstance(item, ast.IfExp) and any(isinstance(side, ast.Constant) for side in (item.body, item.orelse))
        for item in made
    )


def _shows_axes(node: ast.expr, block: Block, depth: int = 0) -> bool:
    """Whether a value is computed from something that is indexed by several axes at once."""
    if depth > _DEEPEST:
        return False
    for part in nodes_in(node):
        if isinstance(part, ast.Subscript) and isinstance(part.slice, ast.Tuple):
            return True
        value = single_value(part, block) if isinstance(part, ast.Name) else None
        if value is not None and value is not node and _shows_axes(value, block, depth + 1):
            return True
    return False


def _of_list(file: SemanticModel, node: ast.Subscript, part: ast.expr, block: Block) -> IndexSync | None:
    """A list indexed by a scalar on the device: Python asks it for its number."""
    if isinstance(node.slice, ast.Tuple):
        return None
    confidence = implicit_read(file.kinds.of(part, block), part, block)
    if not confidence:
        return None
    instead = "stack the list once and index the tensor"
    return IndexSync("indexing a list by a device scalar forces a GPU sync", instead, confidence)


def _mask(
    file: SemanticModel, node: ast.Subscript, part: ast.expr, base: Value, block: Block, statement: ast.stmt
) -> IndexSync | None:
    if base.is_tensor and not base.on_device:
        return None
    mask = file.kinds.of(part, block)
    if not mask.on_device or _fills(file, node, block, statement):
        return None
    confidence = mask_confidence(file, part, block) * explicit_read(mask, file.device)
    if not base.is_tensor:
        confidence *= 0.9
    if not confidence:
        return None
    instead = "keep the shape: use `torch.where`, `masked_fill` or a masked mean"
    return IndexSync(
        "indexing by a boolean mask has a data-dependent shape and forces a GPU sync", instead, confidence, part
    )


def _fills(file: SemanticModel, node: ast.Subscript, block: Block, statement: ast.stmt) -> bool:
    """Whether a store through a mask surely, or likely, writes one number."""
    if not isinstance(node.ctx, ast.Store) or isinstance(statement, ast.AugAssign):
        return False
    stored = file.kinds.of(statement.value, block) if isinstance(statement, ast.Assign) else None
    return stored is None or not stored.on_device or stored.origin is Origin.NAME


def earlier_index_sync(file: SemanticModel, node: ast.Subscript, place: Place) -> bool:
    """Whether an earlier index of the same statement waits as well: one wait more is no second finding."""
    here = (node.lineno, node.col_offset, -(node.end_col_offset or 0))
    return any(
        (other.lineno, other.col_offset, -(other.end_col_offset or 0)) < here
        and index_sync(file, other, place.block, place.statement) is not None
        for other in own_nodes(place.statement)
        if isinstance(other, ast.Subscript) and other is not node and not isinstance(other.slice, ast.Constant)
    )


def same_mask(file: SemanticModel, node: ast.Subscript, place: Place) -> tuple[Place, ...]:
    """The other places of the function that index by the mask that this index waits for, in order.

    They run only where the first of all runs, so that the rows of the mask may be found there once for all.
    """
    mask = _mask_name(file, node, place.block, place.statement)
    return () if mask is None else tuple(other for other, _ in same_value(file, mask, place, _masks(file)))


@once
def _masks(file: SemanticModel) -> ByName:
    """The places that index by a mask with a name."""
    found = ((place, mask) for place in file.outline.subscripts if (mask := _mask_of(file, place)) is not None)
    return by_name(file, found)


@once
def _mask_name(file: SemanticModel, node: ast.Subscript, block: Block, statement: ast.stmt) -> ast.Name | None:
    found = index_sync(file, node, block, statement)
    return found.mask if found is not None and isinstance(found.mask, ast.Name) else None


def _mask_of(file: SemanticModel, place: Place) -> ast.Name | None:
    """The name of the mask that an index waits for."""
    if not isinstance(place.node, ast.Subscript):
        return None
    return _mask_name(file, place.node, place.block, place.statement)
