"""Definitions and imports."""

from __future__ import annotations

import ast
from itertools import islice

from trainlint.interpreter import bounds
from trainlint.interpreter.bounds import Limit
from trainlint.interpreter.execution.expressions import define
from trainlint.interpreter.libraries.frameworks import NOT_TRAINING_PATH
from trainlint.interpreter.libraries.modules import PASSING_DECORATOR
from trainlint.interpreter.machine.frame import Arguments, Frame
from trainlint.interpreter.machine.left_out import LeftOut
from trainlint.interpreter.machine.run import Run
from trainlint.interpreter.text import text
from trainlint.interpreter.values.callables import Choice, ClassValue, FunctionValue, ModuleValue, Name, Object
from trainlint.interpreter.values.definitions import Class, Function, Module
from trainlint.interpreter.values.kinds import UNKNOWN
from trainlint.interpreter.values.value import Value


def function(run: Run, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame) -> bool:
    """A function, as its decorators leave it."""
    known = run.functions.get(id(node))
    if known is None:
        known = run.functions[id(node)] = Function(node, frame.module, frame.cls)
    value: Value = define(run, known, frame)
    if known.kind == "setter":
        return False
    if known.kind == "plain":
        for decorator in reversed(node.decorator_list):
            value = _decorated(run, decorator, value, node, frame)
    frame.names[node.name] = value
    return False


def _decorated(run: Run, decorator: ast.expr, value: Value, node: ast.AST, frame: Frame) -> Value:
    """What a decorator of the project makes of a function; those of libraries leave it as it is."""
    if PASSING_DECORATOR.search(text(decorator)):
        return value
    wrapper = run.value(decorator, frame)
    if not isinstance(wrapper, FunctionValue):
        return value
    wrapped = run.call(wrapper, Arguments((value,)), node, frame)
    return wrapped if isinstance(wrapped, FunctionValue | Object) else value


def class_(run: Run, node: ast.ClassDef, frame: Frame) -> bool:
    """A class: its bases, its body, and its registration by decorators of the project."""
    cls = run.classes.get(id(node))
    if cls is None:
        scopes = frame.scopes if frame.function is None else (frame.names, *frame.scopes)
        cls = run.classes[id(node)] = Class(node, frame.module, scopes)
    bases = [_base(run.value(base, frame), base) for base in node.bases]
    of_project = tuple(base for base in bases if isinstance(base, Class))
    if not cls.set_bases(of_project, tuple(base for base in bases if isinstance(base, str))):
        run.leave_out(LeftOut(frame.module.path, node.lineno, node.name, Limit.BASES))
    inner = Frame(frame.module, cls.names, cls=cls, scopes=cls.scopes)
    run.stack.append(inner)
    run.block(node.body, inner)
    run.stack.pop()
    for decorator in node.decorator_list:
        wrapper = run.value(decorator, frame)
        if isinstance(wrapper, FunctionValue):
            run.call(wrapper, Arguments((ClassValue(cls),)), node, frame)
    frame.names[node.name] = ClassValue(cls)
    return False


def _base(value: Value, node: ast.expr) -> Class | str:
    """A base class: one of the project, or a dotted name."""
    if isinstance(value, Choice):
        value = value.options[0]
    if isinstance(value, ClassValue):
        return value.cls
    return value.dotted if isinstance(value, Name) else text(node)


def import_(run: Run, node: ast.Import, frame: Frame) -> bool:
    """`import a.b as c`."""
    for alias in node.names:
        found = run.project.absolute(alias.name, frame.module)
        if found is not None:
            _import(run, found, frame.module)
        if alias.asname:
            frame.names[alias.asname] = Name(alias.name) if found is None else ModuleValue(found)
            continue
        first = alias.name.partition(".")[0]
        top = None if found is None else run.project.absolute(first, frame.module)
        frame.names[first] = Name(first) if top is None else ModuleValue(top)
    return False


def _import(run: Run, module: Module, importer: Module) -> None:
    module.imported = True
    importer.imports.add(module)
    run.execute_module(module)


def import_from(run: Run, node: ast.ImportFrom, frame: Frame) -> bool:
    """`from a.b import c`."""
    dotted, source = _source(run, node, frame.module)
    if source is not None:
        _import(run, source, frame.module)
    for alias in node.names:
        if alias.name == "*":
            _import_all(run, source, dotted, node, frame)
            continue
        name = alias.asname or alias.name
        if source is not None:
            _define_early(run, source, alias.name)
        if source is not None and alias.name in source.names:
            frame.names[name] = source.names[alias.name]
            continue
        below = _submodule(run, node, dotted, source, alias.name, frame.module)
        if below is not None:
            _import(run, below, frame.module)
            frame.names[name] = ModuleValue(below)
        elif source is None and not node.level:
            frame.names[name] = Name(f"{dotted}.{alias.name}")
        else:
            frame.names.setdefault(name, UNKNOWN)
    return False


def _define_early(run: Run, module: Module, name: str) -> None:
    """Execute the definition of a name that a module has not reached yet, as where two modules import each other."""
    if name in module.names:
        return
    for statement in module.tree.body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and statement.name == name:
            module.names[name] = UNKNOWN  # for a definition that imports itself
            _at_top_level(run, module, [statement])
            return


def _source(run: Run, node: ast.ImportFrom, importer: Module) -> tuple[str, Module | None]:
    if node.level:
        dotted = run.project.relative(importer, node.level, node.module or "")
        return dotted, run.project.modules.get(dotted)
    dotted = node.module or ""
    return dotted, run.project.absolute(dotted, importer)


def _import_all(run: Run, source: Module | None, dotted: str, node: ast.ImportFrom, frame: Frame) -> None:
    if source is not None:
        if len(source.names) > bounds.STAR_NAMES:
            run.leave_out(LeftOut(frame.module.path, node.lineno, source.name, Limit.NAMES))
        names = islice(source.names.items(), bounds.STAR_NAMES)
        frame.names.update({name: value for name, value in names if not name.startswith("_")})
        frame.module.star_imports.update(source.star_imports)
    elif not node.level:
        frame.module.star_imports[dotted] = None


def _submodule(
    run: Run, node: ast.ImportFrom, dotted: str, source: Module | None, name: str, importer: Module
) -> Module | None:
    if source is not None or node.level:
        return run.project.modules.get(f"{dotted if source is None else source.name}.{name}")
    # A package may have no file, or an empty one, which is not executed. Its name alone may be a library's as well.
    return (run.project.absolute if "." in dotted else run.project.above)(f"{dotted}.{name}", importer)


def execute_module(run: Run, module: Module) -> None:
    """Execute the top level of a file."""
    module.executed = True
    _at_top_level(run, module, module.tree.body)


def _at_top_level(run: Run, module: Module, body: list[ast.stmt]) -> None:
    """Execute statements of a module. Tests and benchmarks train nothing that counts."""
    heat, effects = run.heat, run.effects
    run.heat, run.effects = "off" if module.is_test else "cold", set()
    frame = Frame(module, module.names)
    run.stack.append(frame)
    for statement in body:
        if run.attempt([statement], frame):
            break
    run.stack.pop()
    if NOT_TRAINING_PATH.search(module.path) is None:
        run.made_to_train.update(effect for effect in run.effects if isinstance(effect, Class))
    run.heat, run.effects = heat, effects
