"""What objects of a file's own classes are: they share the facts of their base in PyTorch, and hold what they store."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Block, Class, How
from trainlint.analysis.syntax.names import argument, last_name
from trainlint.analysis.tables import loaders
from trainlint.analysis.tables.optimizers import BASES, CLASSES
from trainlint.analysis.tables.parallel import wraps_model
from trainlint.analysis.types.parameters import annotation_value, with_callers
from trainlint.analysis.types.structures.constructions import constructions
from trainlint.analysis.types.values import UNKNOWN, Home, Kind, Origin, Value, merge
from trainlint.analysis.types.vocabulary import constructed

if TYPE_CHECKING:
    from trainlint.analysis.types.inference import Kinds

_DEEPEST = 6
_INHERITED = frozenset({Kind.LOADER, Kind.OPTIMIZER, Kind.SCHEDULER, Kind.SAMPLER, Kind.DATASET, Kind.SCALER})
_ITERATING = frozenset({"__iter__", "__next__"})
"""Methods by which a loader's class decides itself what it yields, and where that is."""
_OPTIMIZERS = frozenset((*CLASSES, *BASES))


def object_of(kinds: Kinds, cls: Class) -> Value:
    """What calling a class of the file gives."""
    base = _from_torch(kinds, cls, 0)
    if base is not None and base.kind is Kind.MODULE:
        return base
    if kinds.is_module_class(cls):
        return Value(Kind.MODULE)
    if base is None or base.kind not in _INHERITED:
        return UNKNOWN
    return UNKNOWN if base.kind is Kind.LOADER and not _ITERATING.isdisjoint(cls.methods) else base


def _from_torch(kinds: Kinds, cls: Class, depth: int) -> Value | None:
    """What calling the base gives that is not of the file; None where it is no class that is known."""
    for base in cls.node.bases:
        parent = kinds.outline.classes.get(last_name(base))
        if parent is not None and parent is not cls and depth < _DEEPEST:
            found = _from_torch(kinds, parent, depth + 1)
        else:
            found = _by_origin(kinds.imported(base, cls.outside) or "")
        if found is not None:
            return found
    return None


def _by_origin(origin: str) -> Value | None:
    return _by_name(origin.rpartition(".")[2]) or (constructed(origin) if origin.startswith("torch.") else None)


def _by_name(name: str) -> Value | None:
    if loaders.is_loader_class(name):
        return Value(Kind.LOADER)
    if wraps_model(name):
        return Value(Kind.MODULE)
    return Value(Kind.OPTIMIZER) if name in _OPTIMIZERS else None


def parameter_groups(home: Home) -> Value:
    """`optimizer.param_groups`: dicts that hold parameters under "params"."""
    parameter = Value(Kind.TENSOR, home, True, Origin.PARAMETER)
    return Value(Kind.CONTAINER, element=Value(Kind.CONTAINER, element=Value(Kind.CONTAINER, element=parameter)))


def optimizer_state(home: Home) -> Value:
    """`optimizer.state`: for each parameter, a dict of tensors that are where the parameter is."""
    tensor = Value(Kind.TENSOR, home, False, Origin.PARAMETER)
    return Value(Kind.CONTAINER, element=Value(Kind.CONTAINER, element=tensor))


def is_record(cls: Class) -> bool:
    """Whether the fields of a class are what its constructor is given: a dataclass or a named tuple."""
    names = {last_name(item) for item in (*cls.node.decorator_list, *cls.node.bases)}
    return bool(names & {"dataclass", "NamedTuple"})


def fields_of(cls: Class) -> list[ast.AnnAssign]:
    """The fields that the body of a class declares, in order."""
    return [item for item in cls.node.body if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)]


def field_value(kinds: Kinds, cls: Class, name: str) -> Value | None:
    """What a field of a record holds, by annotation and by what calls in the file pass; None where nothing is known."""
    place, field = kinds.fields(cls).get(name, (0, None))
    if field is None:
        return None
    given = [
        kinds.of(value, made.block)
        for made, call in constructions(kinds, cls)
        if (value := argument(call, name, place)) is not None
    ]
    if field.value is not None:
        given.append(kinds.of(field.value, cls.outside))
    found = with_callers(kinds, annotation_value(field.annotation), merge(given))
    return found if found.kind is not Kind.UNKNOWN else None


def annotated_record(kinds: Kinds, node: ast.expr, block: Block) -> Class | None:
    """The record of the file that an annotation names: of a parameter, or of what a function of the file returns."""
    bindings = kinds.outline.bindings(node, block) if isinstance(node, ast.Name) and kinds.has_records else []
    if len(bindings) != 1:
        return None
    bound, written = bindings[0], None
    if isinstance(bound.node, ast.arg):
        written = bound.node.annotation
    elif bound.how is How.ASSIGN and not bound.path and isinstance(bound.value, ast.Call):
        edge = kinds.graph.callee.get(bound.value)
        written = getattr(edge.function.node, "returns", None) if edge is not None else None
    name = written.value if isinstance(written, ast.Constant) else last_name(written) if written is not None else ""
    cls = kinds.outline.classes.get(name) if isinstance(name, str) else None
    return cls if cls is not None and is_record(cls) else None


def tuple_of(kinds: Kinds, cls: Class, call: ast.Call, block: Block) -> Value | None:
    """A named tuple, which may be unpacked; None for objects of other classes, and for hidden arguments."""
    if "NamedTuple" not in {last_name(item) for item in cls.node.bases}:
        return None
    given = [argument(call, last_name(item.target), place) for place, item in enumerate(fields_of(cls))]
    values = [kinds.of(item, block) if item is not None else UNKNOWN for item in given]
    return Value(Kind.CONTAINER, element=merge(values), items=tuple(values)) if values else None
