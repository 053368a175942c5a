"""What nobody in sight calls: hooks of frameworks, presumed training steps, then all the rest."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from typing import Final

from trainlint.analysis.tables.frameworks.hooks import LIGHTNING_CLASS, LIGHTNING_LOADERS
from trainlint.analysis.tables.frameworks.roles import role
from trainlint.finding import Heat as Often
from trainlint.interpreter.bounds import Limit
from trainlint.interpreter.execution.annotations import ANNOTATED_TENSOR, annotated_object, host_value
from trainlint.interpreter.execution.attributes import is_module
from trainlint.interpreter.execution.bodies import execute
from trainlint.interpreter.libraries.frameworks import (
    DECODING_STATE,
    FIRST_ALONE,
    FORWARD_NAME,
    LOADER_PARAMETER,
    NOT_A_TENSOR,
    NOT_TRAINING,
    NOT_TRAINING_PATH,
    PRESUMED,
    TARGETS,
    WITHOUT_BATCH,
    is_step_hook,
)
from trainlint.interpreter.libraries.guesses import BATCH
from trainlint.interpreter.libraries.modules import AUTOGRAD, OPTIMIZER_CLASS
from trainlint.interpreter.machine.events import Level, Link
from trainlint.interpreter.machine.frame import Effect, Frame, Heat, Round
from trainlint.interpreter.machine.left_out import LeftOut
from trainlint.interpreter.machine.loaders import makings_of
from trainlint.interpreter.machine.run import Run
from trainlint.interpreter.text import text
from trainlint.interpreter.values.callables import ClassValue, Object
from trainlint.interpreter.values.definitions import Class, Function, Module
from trainlint.interpreter.values.kinds import ARRAY, PLAIN, UNKNOWN, Device, Loader, Plain, Tensor
from trainlint.interpreter.values.value import Environment, Value

_ARRAY: Final = re.compile(r"nd\.?array")

_BY_ROLE: Final[dict[Often, tuple[Heat, Round]]] = {
    Often.WORKER: ("worker", ""),
    Often.EVAL_STEP: ("evaluation", ""),
    Often.EPOCH: ("cold", "epoch"),
}
"""How the run calls what frameworks call so often."""
_BEGINS: Final[dict[Level, str]] = {
    "framework": "a framework calls {} in each step",
    "presumed": "{} is presumed to run in each step",
    "orphan": "nothing in sight calls {}",
    "sure": "{}",
}
"""What begins a step, for people."""


def run_entries(run: Run) -> None:
    """Execute what no module's top level has reached.

    Constructors come first, as methods find what they assign. A hook that no library's class stands above waits until
    the functions are executed that nobody calls: a loop in one of them may call it, and then gives it what the loop
    has.
    """
    functions = [function for function in run.functions.values() if not function.module.is_test]
    hooks = [function for function in functions if _is_hook(function)]
    presumed = [function for function in functions if _presumed(function)]
    waiting = {*hooks, *presumed}
    _start_orphans(run, [function for function in functions if function.name == "__init__"])
    _start_hooks(run, [function for function in hooks if _has_framework(function)])
    for function in functions:
        _start_by_role(run, function)
    _start_orphans(run, [function for function in functions if function not in waiting])
    _start_hooks(run, hooks)
    for function in sorted(presumed, key=lambda one: one.cls not in run.made):
        _start_presumed(run, function)
    _start_orphans(run, functions)


def _start_orphans(run: Run, functions: Iterable[Function]) -> None:
    for function in functions:
        _start_orphan(run, function)


def _start_orphan(run: Run, function: Function) -> None:
    """Execute a function that nobody calls, once; as a step as well, if it computes gradients without a loop."""
    if _reached(run, function):
        return
    effects = start(run, function, "cold", "orphan")
    if "trains" in effects and "looped" not in effects and _trains_alone(function):
        start(run, function, "step", "presumed")


def _start_by_role(run: Run, function: Function) -> None:
    """Execute what a framework calls at other times than in each step: with the loader's workers, in evaluations."""
    cls = function.cls
    if _reached(run, function) or isinstance(function.node, ast.Lambda):
        return
    bases = () if cls is None else (*cls.library_bases, *(base.name for base in cls.order[1:]))
    owner = None if cls is None else cls.name
    found = role(function.name, function.qualified_name, owner, bases, function.decorators)
    if found is not None and found.heat in _BY_ROLE:
        heat, around = _BY_ROLE[found.heat]
        start(run, function, heat, "framework", around)


def _start_presumed(run: Run, function: Function) -> None:
    reached = _reached(run, function)
    both = "cold" in reached and "elsewhere" in reached
    if "step" not in reached and not both:
        start(run, function, "step", "presumed")


def _start_hooks(run: Run, hooks: Iterable[Function]) -> None:
    for function in hooks:
        if "step" not in _reached(run, function):
            start(run, function, "step", "framework")


def _has_framework(function: Function) -> bool:
    """Whether a class of a library stands above a hook's class; else a loop of the project may call it."""
    return function.cls is not None and bool(function.cls.library_bases)


def _reached(run: Run, function: Function) -> dict[str, list[object]]:
    return run.contexts.get(function, {})


def _is_hook(function: Function) -> bool:
    """Whether a framework calls a method in each step."""
    cls = function.cls
    if cls is None:
        return False
    return is_step_hook(function.name, cls.library_bases, [base.name for base in cls.order])


def _trains_alone(function: Function) -> bool:
    """Whether a method that computes gradients without a loop is a step of a loop elsewhere."""
    return function.cls is not None and _may_train(function)


def _may_train(function: Function) -> bool:
    return not NOT_TRAINING.search(function.name) and not NOT_TRAINING_PATH.search(function.module.path)


def _presumed(function: Function) -> bool:
    """Whether a forward pass, a loss or an optimizer's step is presumed to run in each step."""
    name, cls = function.name, function.cls
    if name == "step" and cls is not None:
        return cls.is_a(OPTIMIZER_CLASS) and not NOT_TRAINING_PATH.search(function.module.path)
    if function.no_grad or NOT_TRAINING_PATH.search(function.module.path) or NOT_TRAINING.search(name):
        return False
    if cls is None:  # a forward pass that replaces another
        args = function.node.args.args
        return bool(args) and args[0].arg == "self" and FORWARD_NAME.search(name) is not None
    if NOT_TRAINING.search(cls.name):
        return False
    if cls.is_a(AUTOGRAD):
        return name in ("forward", "backward")
    return name in PRESUMED and is_module(cls)


def start(run: Run, function: Function, heat: Heat, level: Level, around: Round = "") -> frozenset[Effect]:
    """Execute a function without a caller, which repeats what is `around`. Returns what it does."""
    self_value = _self(function)
    saved = run.heat, run.level, run.effects
    run.heat, run.level, run.effects = heat, level, set()
    begin = Link(function.module.path, function.node.lineno, _BEGINS[level].format(function.name))
    for_others = _made_for_others(run, function.cls)
    for_training = not for_others and (function.name == "__init__" or _may_train(function))
    run.idle = level == "presumed" and (for_others or _is_idle(run, function.module))
    depth = len(run.stack)
    step = begin if heat == "step" else None
    run.stack.append(Frame(function.module, function.module.names, step=step, heat=heat, round=around))
    try:
        execute(run, function, _parameters(function, heat, self_value), self_value, None)
    except Exception as error:  # noqa: BLE001  # in an annotation, outside of all bodies
        run.leave_out(LeftOut(function.module.path, function.node.lineno, function.name, Limit.NESTING), error)
    del run.stack[depth:]
    _take_over(run, function, begin)
    effects = frozenset(run.effects)
    if for_training and not run.idle:
        run.made_to_train.update(effect for effect in effects if isinstance(effect, Class))
    run.heat, run.level, run.effects = saved
    run.idle = False
    return effects


def _take_over(run: Run, function: Function, begin: Link) -> None:
    """What a framework asks for its loaders: it goes through them in each epoch, and copies their batches."""
    bases = () if function.cls is None else function.cls.library_bases
    if function.name in LIGHTNING_LOADERS and any(map(LIGHTNING_CLASS.search, bases)):
        trains = LIGHTNING_LOADERS[function.name].in_step
        run.loaders.taken_over(makings_of(run.results.get(function, UNKNOWN)), begin, trains=trains)


def _made_for_others(run: Run, cls: Class | None) -> bool:
    """Whether objects of a class are made, and only for evaluation, export, or behind what is off by default."""
    return cls in run.made and cls not in run.made_to_train


def _is_idle(run: Run, module: Module) -> bool:
    """Whether no other file imports a file, where files of the project import others at all."""
    if module.imported or module.is_program or run.imports_by_name:
        return False
    return any(one.imported for one in run.project.modules.values())


def _self(function: Function) -> Value | None:
    cls = function.cls
    if cls is None or function.kind == "staticmethod" or cls.is_a(AUTOGRAD):
        return None
    return ClassValue(cls) if function.kind == "classmethod" else Object(cls)


def _parameters(function: Function, heat: Heat, self_value: Value | None) -> Environment:
    spec = function.node.args
    positional = [*spec.posonlyargs, *spec.args]
    defaults = [*[None] * (len(positional) - len(spec.defaults)), *spec.defaults]
    pairs = [*zip(positional, defaults, strict=True), *zip(spec.kwonlyargs, spec.kw_defaults, strict=True)]
    values = {arg.arg: _role(arg, default, function, heat) for arg, default in pairs}
    if self_value is not None and positional:
        values[positional[0].arg] = self_value
    return values


def _role(arg: ast.arg, default: ast.expr | None, function: Function, heat: Heat) -> Value:
    """What a parameter is when no caller is in sight: by its default, its annotation, its role, its name."""
    told = _by_default(arg, default) or host_value(arg.annotation)
    if told is not None:
        return told
    if "device" in arg.arg:
        return Device("device")
    annotated = None if arg.annotation is None else _annotated(arg.annotation, function, heat)
    if annotated is not None:
        return annotated
    if heat == "step" and _takes_tensors(function):
        return _batch_parameter(arg, default, function)
    if LOADER_PARAMETER.search(arg.arg):
        return Loader(BATCH)
    return UNKNOWN.or_none() if isinstance(default, ast.Constant) else UNKNOWN


def _by_default(arg: ast.arg, default: ast.expr | None) -> Value | None:
    """What a default says: a flag, a number or a string is no tensor, and off where it is nothing."""
    if not isinstance(default, ast.Constant):
        return None
    value = default.value
    if value or (value is None and DECODING_STATE.search(arg.arg) is None):
        return None if value is None or isinstance(value, float) else PLAIN
    return Plain(meaning="off", maybe_none=value is None)


def _takes_tensors(function: Function) -> bool:
    cls = function.cls
    if cls is None:
        return FORWARD_NAME.search(function.name) is not None
    return is_module(cls) or cls.is_a(AUTOGRAD) or _is_hook(function)


def _batch_parameter(arg: ast.arg, default: ast.expr | None, function: Function) -> Value:
    name = function.name
    if NOT_A_TENSOR.search(arg.arg) or arg.arg == "self":
        return UNKNOWN
    first = name in FIRST_ALONE and arg in function.node.args.args[1:2]
    if name in WITHOUT_BATCH or (name in FIRST_ALONE and not first):
        return UNKNOWN
    way = (f"parameter `{arg.arg}` of {name}",)
    left_out = default is not None and not TARGETS.search(arg.arg)
    return Tensor(container=True, source="parameter", way=way, maybe_none=left_out)


def _annotated(annotation: ast.expr, function: Function, heat: Heat) -> Value | None:
    note = text(annotation)
    if ANNOTATED_TENSOR.match(note):
        on_device = heat == "step" or (function.cls is not None and is_module(function.cls))
        mask = True if "Bool" in note else None
        return Tensor("device" if on_device else "unknown", mask, way=(f"annotated `{note}`",))
    if "DataLoader" in note:
        return Loader(BATCH)
    if _ARRAY.search(note):
        return ARRAY
    found = annotated_object(annotation, function.module, UNKNOWN)
    return None if found is UNKNOWN else found
