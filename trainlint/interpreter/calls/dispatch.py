"""Call a value, or a method of one."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any, Final

from trainlint.interpreter.calls.containers import container_method
from trainlint.interpreter.calls.distributions import distribution_method
from trainlint.interpreter.calls.library_functions import library_function
from trainlint.interpreter.calls.made_objects import call_made, is_optimizer, made_method
from trainlint.interpreter.calls.objects import call_object, construct, object_method
from trainlint.interpreter.calls.out_of_sight import out_of_sight
from trainlint.interpreter.calls.tensor_methods import tensor_method
from trainlint.interpreter.calls.unknown_methods import unknown_method
from trainlint.interpreter.execution.attributes import attribute, is_assigned, member
from trainlint.interpreter.execution.bodies import call_function
from trainlint.interpreter.libraries.guesses import ENVIRONMENT, LOSS_FUNCTION, OPTIMIZER, SCHEDULER, is_model
from trainlint.interpreter.machine.frame import Arguments, Frame
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
    is_callable,
)
from trainlint.interpreter.values.joining import element, joined
from trainlint.interpreter.values.kinds import (
    ARRAY,
    ARRAY_ITEM,
    NONE,
    PLAIN,
    UNKNOWN,
    Array,
    Items,
    Loader,
    Mapping_,
    Plain,
    Stream,
    Tensor,
    Unknown,
)
from trainlint.interpreter.values.value import Value

_CALLED: Final = (Object, Made, Choice, FunctionValue)


def call_expression(run: Run, node: ast.Call, frame: Frame) -> Value:
    """A call in the code."""
    arguments = _arguments(run, node, frame)
    if isinstance(node.func, ast.Attribute):
        called = run.value(node.func.value, frame)
        if node.func.attr == "step" and ENVIRONMENT.search(text(node.func.value)):
            _note_action(run, arguments)
            run.observed.add(node)
        result = _method_of_any(run, called, node.func.attr, arguments, node, frame)
        if node in run.observed and isinstance(result, Unknown):
            result = Items((ARRAY.read_by(node),))
    elif isinstance(node.func, ast.Name) and node.func.id == "super":
        return _super(arguments, frame)
    else:
        called = run.value(node.func, frame)
        result = call(run, called, arguments, node, frame)
    return out_of_sight(run, result, arguments, node) if isinstance(called, Unknown | Name | Tensor) else result


def _method_of_any(run: Run, base: Value, name: str, arguments: Arguments, node: ast.Call, frame: Frame) -> Value:
    if isinstance(base, Choice):
        return joined([method(run, option, name, arguments, node, frame) for option in base.options])
    return _as_read(method(run, base, name, arguments, node, frame), (base, *arguments.args))


def _note_action(run: Run, arguments: Arguments) -> None:
    """An environment takes actions from the host: whatever reads them there has to wait."""
    run.needed.update(value.read for value in arguments.values if value.read is not None)
    if arguments.args:
        run.effects.add("acts")


def _as_read(result: Value, of: Iterable[Value]) -> Value:
    """What NumPy and the methods of values of the host make of what was read."""
    if result.read is None and isinstance(result, Array | Plain):
        return result.read_by(next((value.read for value in of if value.read is not None), None))
    return result


def _arguments(run: Run, node: ast.Call, frame: Frame) -> Arguments:
    args: list[Value] = []
    named: dict[str, Value] = {}
    rest: Value | None = None
    open_end = False
    for part in node.args:
        if not isinstance(part, ast.Starred):
            args.append(run.value(part, frame))
            continue
        several = run.value(part.value, frame)
        if isinstance(several, Items) and several.fixed:
            args.extend(several.parts)
        else:
            args.append(element(several))
            open_end = True
    for keyword in node.keywords:
        value = run.value(keyword.value, frame)
        if keyword.arg is not None:
            named[keyword.arg] = value
        elif isinstance(value, Mapping_):
            named.update({key: item for key, item in value.items.items() if isinstance(key, str)})
            open_end = open_end or any(not isinstance(key, str) for key in value.items)
        else:
            open_end = True
            rest = value if isinstance(value, Tensor) else rest
    return Arguments(tuple(args), named, open_end, rest)


def _super(arguments: Arguments, frame: Frame) -> Value:
    of = frame.self_value or (arguments.args[1] if len(arguments.args) > 1 else None)
    definer = None if frame.function is None else frame.function.cls
    return SuperValue(definer, of) if isinstance(of, Object) and definer is not None else UNKNOWN


def call(run: Run, value: Value, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    """Call a value."""
    match value:
        case FunctionValue():
            return call_function(run, value, arguments, node)
        case ClassValue():
            return construct(run, value.cls, arguments, node, frame)
        case Object():
            return call_object(run, value, arguments, node, frame)
        case Choice():
            return joined([call(run, option, arguments, node, frame) for option in value.options])
        case Made():
            return call_made(value, arguments)
        case Name():
            return library_function(run, value.dotted, arguments, node, frame)
        case Items():
            return _one_after_another(run, value, arguments, node, frame)
        case Tensor():
            return Tensor(container=True, way=("output of a model",))
    return _by_name(run, text(node.func) if isinstance(node, ast.Call) else "", arguments)


def _one_after_another(run: Run, value: Items, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    """`nn.Sequential` of modules of the project; any other list is called by nobody."""
    if not any(_is_called(part) for part in value.parts):
        return UNKNOWN
    result = arguments.args[0] if arguments.args else UNKNOWN
    for part in value.parts:
        result = call(run, part, Arguments((result,)), node, frame)
    return result if isinstance(result, Tensor) else Tensor(container=True)


def _is_called(part: Value) -> bool:
    return any(_is_called(inner) for inner in part.parts) if isinstance(part, Items) else isinstance(part, _CALLED)


def _by_name(run: Run, called: str, arguments: Arguments) -> Value:
    """What is not known but has the name of a model or a loss gives tensors."""
    loss = LOSS_FUNCTION.search(called) is not None or "criterion" in called
    if not loss and not is_model(called):
        return UNKNOWN
    given = any(isinstance(value, Tensor) and value.place == "device" for value in arguments.values)
    if loss or given or run.heat == "step":
        return Tensor(container=not loss, way=(f"output of {called}",))
    return UNKNOWN


def method(run: Run, base: Value, name: str, arguments: Arguments, node: ast.Call, frame: Frame) -> Value:
    """Call a method of one value."""
    if isinstance(base, ModuleValue) or type(base) is Name:
        return call(run, attribute(run, base, name, node, frame), arguments, node, frame)
    if name in ("backward", "manual_backward") and not isinstance(base, FunctionValue):
        run.effects.add("trains")
        if name == "backward" and not isinstance(base, Object | SuperValue):
            return NONE
    if name == "step" and _steps_optimizer(base, node):
        return _optimizer_step(run, arguments, node, frame)
    return _METHODS.get(type(base), unknown_method)(run, base, name, arguments, node, frame)


def _own_method(
    run: Run, base: Object | ClassValue | SuperValue, name: str, arguments: Arguments, node: ast.Call, frame: Frame
) -> Value:
    found = member(run, base, name, node, frame)
    if is_callable(found) or isinstance(found, Choice | Items):
        return call(run, found, arguments, node, frame)
    result = object_method(run, base, name, arguments, node, frame)
    if isinstance(result, Unknown) and isinstance(base, Object) and is_assigned(run, base.cls, name):
        return _by_name(run, text(node.func), arguments)
    return result


_WHOLE: Final = frozenset({"copy", "flatten", "ravel", "squeeze", "transpose", "argsort", "conj"})
"""Methods that give an array where they are given nothing; of others it may be a number."""


def _array_method(run: Run, base: Array, name: str, arguments: Arguments, node: ast.Call, frame: Frame) -> Value:
    if name == "item":
        return PLAIN
    return Items((PLAIN,)) if name == "tolist" else ARRAY if arguments.values or name in _WHOLE else ARRAY_ITEM


def _function_method(
    run: Run, base: FunctionValue, name: str, arguments: Arguments, node: ast.Call, frame: Frame
) -> Value:
    if name in ("apply", "__call__"):
        return call(run, base, arguments, node, frame)
    return unknown_method(run, base, name, arguments, node, frame)


_METHODS: Final[dict[type[Value], Callable[[Run, Any, str, Arguments, ast.Call, Frame], Value]]] = {
    Object: _own_method,
    ClassValue: _own_method,
    SuperValue: _own_method,
    Tensor: tensor_method,
    Items: container_method,
    Mapping_: container_method,
    Stream: container_method,
    Loader: container_method,
    Array: _array_method,
    Made: made_method,
    Distribution: distribution_method,
    FunctionValue: _function_method,
}
"""How a method is called, by the kind of its object; `unknown_method` by its name alone for all others."""


def _steps_optimizer(base: Value, node: ast.Call) -> bool:
    """Whether `.step()` is an optimizer's, by its class or by what the code calls it."""
    if isinstance(base, Object):
        return False
    owner = text(node.func.value) if isinstance(node.func, ast.Attribute) else ""
    if SCHEDULER.search(owner):
        return False
    return OPTIMIZER.search(owner) is not None or (isinstance(base, Made) and is_optimizer(base.dotted))


def _optimizer_step(run: Run, arguments: Arguments, node: ast.Call, frame: Frame) -> Value:
    for value in arguments.args:
        if isinstance(value, FunctionValue):  # the closure
            call(run, value, Arguments(open=True), node, frame)
    run.effects.add("optimizes")
    run.stepped = True
    return NONE
