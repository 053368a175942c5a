"""Attributes of values."""

from __future__ import annotations

import ast
from typing import Final

from trainlint.interpreter.execution.annotations import ANNOTATED_TENSOR, host_value
from trainlint.interpreter.libraries.guesses import by_name, holds_options
from trainlint.interpreter.libraries.modules import AUTOGRAD, DTYPE, MODULE, OPTIMIZER_CLASS
from trainlint.interpreter.libraries.tensors import HOST_ATTRIBUTES, HOST_FIELDS, SAME_ATTRIBUTES
from trainlint.interpreter.machine.frame import Arguments, Frame
from trainlint.interpreter.machine.loaders import makings_of
from trainlint.interpreter.machine.run import Run
from trainlint.interpreter.text import text
from trainlint.interpreter.values.callables import (
    Choice,
    ClassValue,
    Distribution,
    FunctionValue,
    Made,
    ModuleValue,
    Name,
    Object,
    SuperValue,
)
from trainlint.interpreter.values.definitions import Class
from trainlint.interpreter.values.joining import joined
from trainlint.interpreter.values.kinds import (
    ANY_KEY,
    PLAIN,
    UNKNOWN,
    Array,
    Device,
    Items,
    Mapping_,
    Plain,
    Tensor,
    Unknown,
)
from trainlint.interpreter.values.kinds import DTYPE as DTYPE_VALUE
from trainlint.interpreter.values.value import Value

_PARAMETERS: Final = Items((Tensor(way=("a parameter",)),))
_OF_OPTIMIZERS: Final[dict[str, Value]] = {
    "param_groups": Items((Mapping_({"params": _PARAMETERS, ANY_KEY: PLAIN}),)),
    "state": Mapping_({ANY_KEY: Mapping_({})}),
}
"""Attributes of optimizers: their parameters by groups of equal options, and what they keep of each."""
_CONTAINER_METHODS: Final = frozenset({"keys", "items", "size", "to", "cuda"})
_OF_HOST: Final = frozenset({"shape", "size", "ndim", "dtype"})
_PARTS_OF_ARRAYS: Final = frozenset({"T", "loc", "iloc", "values"})
"""Of arrays and of tables."""


def attribute_expression(run: Run, node: ast.Attribute, frame: Frame) -> Value:
    """`base.name`."""
    value = attribute(run, run.value(node.value, frame), node.attr, node, frame)
    if not isinstance(value, Unknown):
        return value
    if holds_options(text(node.value)):
        return run.options.get(node.attr, value)
    return _OF_OPTIMIZERS[node.attr] if node.attr == "param_groups" else by_name(node.attr) or value


def note_change(run: Run, node: ast.Attribute, frame: Frame) -> None:
    """Remember what code changes in the dataset of a loader, as `loader.dataset.epoch` that is assigned to."""
    match node.value:
        case ast.Attribute(value=loader, attr="dataset"):
            run.loaders.changed(makings_of(run.value(loader, frame)))
        case ast.Attribute() as part:
            note_change(run, part, frame)


def attribute(run: Run, base: Value, name: str, node: ast.AST, frame: Frame) -> Value:
    """An attribute of a value; a property is called."""
    match base:
        case Unknown():
            return UNKNOWN
        case Distribution():
            return _of_distribution(base, name)
        case Made():
            return _of_made(base, name)
        case Name():
            return _of_library(base, name)
        case ModuleValue():
            return _of_module(run, base, name)
        case Object() | ClassValue() | SuperValue():
            return member(run, base, name, node, frame)
        case Choice():
            return joined(attribute(run, option, name, node, frame) for option in base.options)
        case Tensor():
            return _of_tensor(base, name)
        case Array() | Plain():
            return PLAIN if name in _OF_HOST else base if name in _PARTS_OF_ARRAYS else UNKNOWN
        case Mapping_():
            return base.items.get(name, UNKNOWN)
    return UNKNOWN


def _of_library(base: Name, name: str) -> Value:
    dotted = f"{base.dotted}.{name}"
    if name.startswith("__"):
        return PLAIN  # `torch.__version__`
    return DTYPE_VALUE if DTYPE.match(dotted) else Name(dotted)


def _of_made(base: Made, name: str) -> Value:
    if name == "module":
        return base
    if name in ("weight", "bias") and base.dotted.startswith("torch.nn"):
        return Tensor(way=("a parameter",))
    return UNKNOWN


def _of_distribution(base: Distribution, name: str) -> Value:
    """A parameter or a moment; shapes are the host's."""
    if name.endswith("_shape"):
        return Items((PLAIN,))
    return base if name == "base_dist" else Tensor(base.place, way=(f"`{name}` of `{base.last}`",))


def _of_module(run: Run, base: ModuleValue, name: str) -> Value:
    found = base.module.names.get(name)
    if found is not None:
        return found
    below = run.project.modules.get(f"{base.module.name}.{name}")
    if below is None:
        return UNKNOWN
    run.execute_module(below)
    return ModuleValue(below)


def _of_tensor(base: Tensor, name: str) -> Value:
    if name in HOST_ATTRIBUTES:
        return Items((PLAIN,)) if name == "shape" else PLAIN
    if name == "device":
        return Device(base.place)
    if name in SAME_ATTRIBUTES:
        return base
    if name == "grad":
        return base.but(mask=False, container=False)
    if not base.container or name in _CONTAINER_METHODS:
        return UNKNOWN
    return PLAIN if HOST_FIELDS.search(name) else base


def is_module(cls: Class) -> bool:
    """Whether a class is one of modules: by its bases, or as it has a forward pass and a base in a library."""
    if cls.is_a(MODULE):
        return True
    return cls.find("forward") is not None and bool(cls.library_bases) and not cls.is_a(AUTOGRAD)


def member(run: Run, base: Object | ClassValue | SuperValue, name: str, node: ast.AST, frame: Frame) -> Value:
    """An attribute of an object or class of the project: assigned, defined, or known of all modules."""
    if isinstance(base, SuperValue):
        return _of_super(run, base, name, node, frame)
    cls = base.cls
    found = [run.attributes[one, name] for one in cls.order if (one, name) in run.attributes]
    defined = cls.find(name)
    below = None if found or isinstance(base, ClassValue) else _of_subclasses(run, cls, name, node, frame)
    if below is not None:
        return below
    if defined is not None:
        if isinstance(defined, FunctionValue):
            return bind(run, defined, base, node, frame)
        found.append(defined)
    if found:
        return _believed(run, name, joined(found))
    return _unassigned(base, name)


def _unassigned(base: Object | ClassValue, name: str) -> Value:
    """An attribute that nothing in sight assigns or defines: by its annotation, or known of all objects of a kind."""
    cls = base.cls
    if name == "__class__":
        return ClassValue(cls)
    annotation = next((one.fields[name] for one in cls.order if name in one.fields), None)
    if annotation is not None:
        return _annotated(annotation)
    if cls.is_a(OPTIMIZER_CLASS):
        return _OF_OPTIMIZERS.get(name, UNKNOWN)
    return _of_module_object(base, name) if is_module(cls) else UNKNOWN


def _believed(run: Run, name: str, value: Value) -> Value:
    """What an attribute is, unless it is a flag that code sets on an object which is not known, and so perhaps here."""
    is_flag = isinstance(value, Plain) and isinstance(value.constant, bool)
    return PLAIN if is_flag and name in run.set_on_others else value


def is_assigned(run: Run, cls: Class, name: str) -> bool:
    """Whether something is assigned to an attribute of the objects of a class."""
    return any((one, name) in run.attributes for one in cls.order)


def _of_module_object(base: Object | ClassValue, name: str) -> Value:
    match name:
        case "device":
            return Device("device")
        case "module":
            return base
        case "training":
            return PLAIN
    return UNKNOWN


def _is_left_open(defined: Value | None) -> bool:
    return defined is None or (isinstance(defined, FunctionValue) and defined.function.abstract)


def _of_subclasses(run: Run, cls: Class, name: str, node: ast.AST, frame: Frame) -> Value | None:
    """What subclasses define or assign where a class leaves it to them; None where none does."""
    found: list[Value] = []
    for one in cls.below if _is_left_open(cls.find(name)) else ():
        if (one, name) in run.attributes:
            found.append(run.attributes[one, name])
        defined = one.names.get(name)
        if defined is not None and not _is_left_open(defined):
            found.append(bind(run, defined, Object(one), node, frame))
    return joined(found) if found else None


def _of_super(run: Run, base: SuperValue, name: str, node: ast.AST, frame: Frame) -> Value:
    order = base.of.cls.order
    after = order[order.index(base.definer) + 1 :] if base.definer in order else order[1:]
    for cls in after:
        if name in cls.names:
            return bind(run, cls.names[name], base.of, node, frame)
    return UNKNOWN


def _annotated(annotation: ast.expr) -> Value:
    """A field by its annotation; of a tensor it is not known where it is."""
    known = host_value(annotation)
    if known is not None:
        return known
    code = text(annotation)
    return Tensor("unknown", way=(f"annotated `{code}`",)) if ANNOTATED_TENSOR.match(code) else UNKNOWN


def bind(run: Run, value: Value, base: Value, node: ast.AST, frame: Frame) -> Value:
    """A function as an attribute of an object or class: a method, or the result of a property."""
    if not isinstance(value, FunctionValue) or value.bound is not None:
        return value
    function = value.function
    if function.kind == "staticmethod":
        return value
    if function.kind == "property" and isinstance(base, Object):
        return run.call(FunctionValue(function, base, value.args, value.named), Arguments(), node, frame)
    if function.kind == "classmethod":
        owner = ClassValue(base.cls) if isinstance(base, Object) else base
        return FunctionValue(function, owner, value.args, value.named)
    if isinstance(base, ClassValue):
        return value
    return FunctionValue(function, base, value.args, value.named)
