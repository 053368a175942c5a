"""Methods of lists, dicts, iterators and loaders."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from trainlint.interpreter.calls.unknown_methods import unknown_method
from trainlint.interpreter.execution.assignment import put_back
from trainlint.interpreter.execution.subscripts import item_of
from trainlint.interpreter.libraries.modules import WRITERS
from trainlint.interpreter.machine.frame import Arguments, Frame
from trainlint.interpreter.machine.run import Run
from trainlint.interpreter.values.joining import element, few, joined
from trainlint.interpreter.values.kinds import ANY_KEY, NONE, PLAIN, UNKNOWN, Items, Mapping_, Plain, Stream, Tensor
from trainlint.interpreter.values.value import Value


def container_method(
    run: Run, base: Items | Mapping_ | Stream, name: str, arguments: Arguments, node: ast.Call, frame: Frame
) -> Value:
    """Call a method of a container."""
    args = arguments.args
    match name:
        case "append" | "add" | "appendleft" | "extend" | "insert" if args:
            if isinstance(base, Items):
                new = element(args[-1]) if name == "extend" else args[-1]
                _store(run, node, Items((joined((*base.parts, new)),), listed=name != "add"), frame)
            return NONE
        case "copy" | "__iter__" | "children" | "modules":
            return base
    if name in WRITERS:
        return unknown_method(run, UNKNOWN, name, arguments, node, frame)  # a progress bar is what it goes through
    if isinstance(base, Mapping_):
        return _of_mapping(run, base, name, args, node, frame)
    match name:
        case "pop" | "popleft" | "get" | "__next__" | "next":
            return element(base)
        case "items":
            return Stream(Items((PLAIN, element(base)), fixed=True))
        case "parameters" if isinstance(base, Items):
            return Stream(Tensor(way=("a parameter",)))
        case "train" | "eval" | "cuda" | "to" if isinstance(base, Items):
            return base
    return UNKNOWN


def _store(run: Run, node: ast.Call, value: Value, frame: Frame) -> None:
    if isinstance(node.func, ast.Attribute):
        put_back(run, node.func.value, value, frame)


def _of_mapping(run: Run, base: Mapping_, name: str, args: Sequence[Value], node: ast.Call, frame: Frame) -> Value:
    match name:
        case "items":
            return Stream(Items((PLAIN, element(base)), fixed=True) if base.items else UNKNOWN)
        case "values":
            return Stream(element(base))
        case "keys":
            return Items((PLAIN,))
        case "get" | "pop" | "setdefault" if args:
            return _got(base, args)
        case "update" if args and isinstance(args[0], Mapping_):
            _store(run, node, Mapping_(few({**base.items, **args[0].items}), base.maybe_none), frame)
            return NONE
    return UNKNOWN


def _got(base: Mapping_, args: Sequence[Value]) -> Value:
    """`.get(key, default)`."""
    key = args[0]
    if ANY_KEY in base.items or (isinstance(key, Plain) and key.constant in base.items):
        return item_of(base, key)
    return args[1].or_none() if len(args) > 1 and not base.items else UNKNOWN
