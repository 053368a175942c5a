"""Objects and classes of the project: making them, calling them, methods that the project does not define."""

from __future__ import annotations

import ast
from typing import Final

from trainlint.interpreter.calls.out_of_sight import out_of_sight
from trainlint.interpreter.calls.unknown_methods import unknown_method
from trainlint.interpreter.execution.annotations import host_value
from trainlint.interpreter.execution.assignment import set_attribute
from trainlint.interpreter.execution.attributes import bind, is_module, member
from trainlint.interpreter.execution.bodies import call_function
from trainlint.interpreter.libraries.guesses import BATCH
from trainlint.interpreter.libraries.modules import AUTOGRAD, LOADER, LOADING, SAME_MODULE
from trainlint.interpreter.machine.frame import ELSEWHERE, Arguments, Frame
from trainlint.interpreter.machine.run import Run
from trainlint.interpreter.values.callables import Choice, ClassValue, FunctionValue, Object, SuperValue
from trainlint.interpreter.values.definitions import Class
from trainlint.interpreter.values.kinds import (
    ANY_KEY,
    NONE,
    PLAIN,
    UNKNOWN,
    Items,
    Loader,
    Mapping_,
    Plain,
    Stream,
    Tensor,
    Unknown,
)
from trainlint.interpreter.values.value import Value

_PARAMETER: Final = Tensor(way=("a parameter",))
_NO_RESULT: Final = frozenset({"log", "log_dict", "save_hyperparameters"})


def construct(run: Run, cls: Class, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    """Make an object: by its `__init__`, or by the fields of a dataclass."""
    made = Object(cls)
    run.makes(cls)
    init = cls.find("__init__")
    if isinstance(init, FunctionValue):
        bound = bind(run, init, made, node, frame)
        if isinstance(bound, FunctionValue):
            call_function(run, bound, arguments, node)
    else:
        fields = {name: kind for base in reversed(cls.order) for name, kind in base.fields.items()}
        for name, value in (*zip(fields, arguments.args, strict=False), *arguments.named.items()):
            set_attribute(run, made, name, host_value(fields.get(name)) or value)
    return Loader(BATCH) if cls.is_a(LOADER) else made


def call_object(run: Run, value: Object, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    """Call an object: its `__call__`, or the forward pass of a module."""
    cls = value.cls
    for name in ("__call__", "forward"):
        if cls.find(name) is None:
            continue
        method = member(run, value, name, node, frame)
        if isinstance(method, FunctionValue | Choice):
            result = run.call(method, arguments, node, frame)
            return _output(cls) if isinstance(result, Unknown) and is_module(cls) else result
    return _output(cls) if is_module(cls) else UNKNOWN


def _output(cls: Class) -> Tensor:
    return Tensor(container=True, way=(f"output of {cls.name}",))


def object_method(
    run: Run, base: Object | ClassValue | SuperValue, name: str, arguments: Arguments, node: ast.Call, frame: Frame
) -> Value:
    """Call a method that the project does not define: of modules and autograd functions, else by its name."""
    cls = base.of.cls if isinstance(base, SuperValue) else base.cls
    first = arguments.args[0] if arguments.args else UNKNOWN
    if name in ("register_buffer", "add_module") and len(arguments.args) > 1:
        if isinstance(first, Plain) and first.text is not None:
            value = arguments.args[1]
            moved = value.but(place="device", source="") if isinstance(value, Tensor) else value
            set_attribute(run, base, first.text, moved)
        return NONE
    if cls.is_a(AUTOGRAD) and name == "apply":
        return _apply(run, cls, arguments, node, frame)
    if is_module(cls):
        known = _of_module(run, base, name, node, frame)
        if known is not None:
            return known
    if isinstance(base, SuperValue) and name in ("training_step", "compute_loss"):
        return Tensor(container=name == "compute_loss", way=("loss of the framework",))
    return out_of_sight(run, unknown_method(run, UNKNOWN, name, arguments, node, frame), arguments, node)


def _of_module(
    run: Run, base: Object | ClassValue | SuperValue, name: str, node: ast.AST, frame: Frame
) -> Value | None:
    if isinstance(base, ClassValue) and name in LOADING:
        return construct(run, base.cls, Arguments((UNKNOWN,), open=True), node, frame)
    if isinstance(base, Object) and name in ("eval", "train"):
        _set_mode(run, base.cls, training=name == "train")
    if name in SAME_MODULE:
        return base.of if isinstance(base, SuperValue) else base
    match name:
        case "parameters" | "buffers":
            return Stream(_PARAMETER)
        case "modules" | "children":
            return Stream(UNKNOWN)
        case "named_parameters" | "named_buffers":
            return Stream(Items((PLAIN, _PARAMETER), fixed=True))
        case "state_dict":
            return Mapping_({ANY_KEY: _PARAMETER})
        case "forward" if isinstance(base, SuperValue):
            return Tensor(container=True, way=("output of a module",))
    return NONE if name in _NO_RESULT else None


def _set_mode(run: Run, cls: Class, *, training: bool) -> None:
    """Of what code makes and puts into evaluation, it makes no object to train."""
    if not training:
        run.effects -= _with_parts(run, cls)
    elif run.heat not in ELSEWHERE:
        run.made_to_train |= _with_parts(run, cls)


def _with_parts(run: Run, cls: Class) -> set[Class]:
    """A class and its bases, with those of which their objects hold objects."""
    held: dict[Class, list[Class]] = {}
    for (owner, _), value in run.attributes.items():
        if isinstance(value, Object):
            held.setdefault(owner, []).append(value.cls)
    parts, new = set[Class](), [cls]
    while new:
        one = new.pop()
        if one not in parts:
            parts.update(one.order)
            new += [part for base in one.order for part in held.get(base, ())]
    return parts


def _apply(run: Run, cls: Class, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    """`Function.apply`: the forward pass now, the backward pass later in the same step."""
    run.makes(cls)
    forward, backward = cls.find("forward"), cls.find("backward")
    result: Value = UNKNOWN
    if isinstance(forward, FunctionValue):
        result = call_function(run, forward, arguments._replace(args=(UNKNOWN, *arguments.args)), node)
    if isinstance(backward, FunctionValue) and run.heat == "step":
        call_function(run, backward, Arguments((UNKNOWN, Tensor()), open=True), node)
    return Tensor(container=True) if isinstance(result, Unknown) else result
