"""The functions and classes of a file with the names that each uses: what `running_code` works on.

A name counts where the code may run or build what it names. Imports, `__all__`, annotations of functions, tests of
types (`isinstance`, `except`), comments and docstrings run nothing. A base class is used by the class that derives
from it, and so is what the fields of a class body are declared to hold.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from trainlint.analysis.syntax.blocks import BlockKind, Class, Function
from trainlint.analysis.syntax.names import children, constant, last_name
from trainlint.analysis.syntax.outline import Outline
from trainlint.analysis.syntax.stable_keys import Keys
from trainlint.analysis.tables import optimizers
from trainlint.analysis.tables.frameworks.roles import is_plain_base, role
from trainlint.analysis.tables.frameworks.trainers import CONFIGURABLE, FROM_CONFIGURATION
from trainlint.analysis.tables.precision import AUTOCAST
from trainlint.patterns import lazy

TOP = ""
"""The key of the top of a file."""
_WORD = lazy(r"\w+")
_PATH = lazy(r"^\S+$|\w:\w")
"""A string that may hold the path of a function: without a space, or an entry point such as `run = kit.cli:start`."""
_LONGEST_PATH = 200
"""Longer strings are data."""
_ANYTHING = r"\w*"
_STARTED = lazy(r"^(main|train|run|cli|app|forward|test\w*|__\w+__)$|(^|_)(main|cli)(_|$)")
"""Functions that command lines, test runners, Python and `nn.Module` call."""
_MOVES = frozenset("to cuda cpu half float double bfloat16".split())
"""Methods of every tensor and module."""
TRANSPARENT = frozenset(
    "staticmethod classmethod property cached_property no_grad inference_mode enable_grad lru_cache cache "
    "wraps contextmanager script compile dataclass final override total_ordering runtime_checkable custom_fwd "
    "custom_bwd add_start_docstrings add_start_docstrings_to_model_forward replace_return_docstrings "
    "auto_docstring".split()
) | {AUTOCAST.name}
"""Decorators that register nothing."""
_DEFINITIONS = frozenset({ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef})
_PARTLY_READ = frozenset(
    {
        ast.Assign,
        ast.AugAssign,
        ast.AnnAssign,
        ast.Lambda,
        ast.Import,
        ast.ImportFrom,
        ast.Expr,
        ast.ExceptHandler,
        ast.match_case,
    }
)
"""Types of nodes of which a part runs nothing."""


class Unit(NamedTuple):
    """The top of a file, a function or a class."""

    key: str
    name: str
    """The name that code which runs must use for this to run; "" where nothing need name it."""
    within: tuple[str, ...]
    """The keys of what must run or be built first: its class, the function around it."""
    is_attribute: bool
    """Whether it is reached through an object, whose class the name does not tell: code of any file may mean it."""
    uses: tuple[str, ...]
    """The names in its code, without those of functions inside it."""
    registered_as: tuple[str, ...] = ()
    """For a class with decorators: the names under which one of them may register it."""


class CodeUnits(NamedTuple):
    """What a file says of which code runs."""

    units: tuple[Unit, ...]
    """The top first."""
    quoted: tuple[str, ...]
    """Words of strings that may name functions and classes of any file."""
    patterns: tuple[str, ...]
    """Patterns of the names of attributes that `getattr` looks up, as far as the code tells a part of the name."""
    looks_up_own: bool
    """Whether `getattr(self, name)` may look up any method of its classes."""
    offered: tuple[str, ...]
    """Names that it imports or lists in `__all__`, for its own code or that of others."""


def code_units(outline: Outline, keys: Keys, bases: Mapping[str, tuple[str, ...]]) -> CodeUnits:
    """The units of a file. `bases` are the known bases of its classes."""
    walk = _UnitCollector(outline, keys)
    walk.walk()
    units = [Unit(TOP, "", (), False, tuple(walk.uses.get(TOP, ())))]
    for function in outline.functions:
        key = keys.function(function)
        name = _needed_name(function, bases)
        is_attribute = function.owner is not None
        units.append(
            Unit(key, name, _enclosing_keys(outline, keys, function), is_attribute, tuple(walk.uses.get(key, ())))
        )
    for cls in outline.classes.values():
        key = class_key(cls.name)
        name = cls.name if _is_made_by_name(cls) else ""
        around = outline.enclosing(cls.outside)
        within = (keys.function(around),) if around is not None else ()
        is_attribute = cls.outside.kind is BlockKind.CLASS
        names = (cls.name, *walk.registered.get(key, ())) if cls.node.decorator_list else ()
        units.append(Unit(key, name, within, is_attribute, tuple(walk.uses.get(key, ())), names))
    offered = dict.fromkeys([*walk.listed, *_imported(outline)])
    patterns = tuple([pattern for pattern in walk.patterns if pattern != _ANYTHING])
    return CodeUnits(tuple(units), tuple(walk.quoted), patterns, walk.looks_up_own, tuple(offered))


def class_key(name: str) -> str:
    """The key of a class, which no function has."""
    return f"class {name}"


def _enclosing_keys(outline: Outline, keys: Keys, function: Function) -> tuple[str, ...]:
    around = outline.enclosing(function.outside)
    outer = (keys.function(around),) if around is not None else ()
    owner = function.owner
    if owner is None or outline.classes.get(owner.name) is not owner:
        return outer
    return (class_key(owner.name), *outer)


def _imported(outline: Outline) -> Iterator[str]:
    for place in outline.import_statements:
        if isinstance(place.node, ast.ImportFrom):
            yield from (item.name for item in place.node.names)


def _needed_name(function: Function, bases: Mapping[str, tuple[str, ...]]) -> str:
    """The name that code must use for a function to run; "" where none is needed.

    `state.to(device)` says nothing of a method `to` of an optimizer, of which nobody expects one: only a call that the
    call graph links runs it, and its name is one that no code uses alone.
    """
    owner = function.owner
    if (
        owner is not None
        and function.name in _MOVES
        and any(base.endswith(optimizers.BASES) for base in bases.get(owner.name, ()))
    ):
        return f"{owner.name}.{function.name}"
    return function.name if _is_called_by_name(function, bases) else ""


def _makes_arguments(function: Function) -> bool:
    """Whether a framework calls a method to make the arguments of its class's constructor, as detectron2 does."""
    constructor = function.owner.methods.get("__init__") if function.owner is not None else None
    return function.name == FROM_CONFIGURATION and constructor is not None and constructor.is_decorated(CONFIGURABLE)


def _is_called_by_name(function: Function, bases: Mapping[str, tuple[str, ...]]) -> bool:
    if isinstance(function.node, ast.Lambda) or _STARTED.search(function.name) or _makes_arguments(function):
        return False
    decorators = (item.func if isinstance(item, ast.Call) else item for item in function.decorators)
    if any(last_name(item) not in TRANSPARENT for item in decorators):
        return False
    owner = function.owner.name if function.owner is not None else None
    known = bases.get(owner or "", ())
    return all(map(is_plain_base, known)) and not role(function.name, function.qualified_name, owner, known, ())


def _is_made_by_name(cls: Class) -> bool:
    return not cls.node.decorator_list and not cls.node.keywords


class _UnitCollector:
    """Walks the tree of a file once and notes the names that each unit uses."""

    def __init__(self, outline: Outline, keys: Keys) -> None:
        self._outline = outline
        self._keys = keys
        self._names = {local: origin.rpartition(".")[2] for local, origin in outline.imports.items()}
        self._classes = {cls.node: cls for cls in outline.classes.values()}
        self.uses: dict[str, dict[str, None]] = {}
        self.quoted: dict[str, None] = {}
        self.patterns: dict[str, None] = {}
        self.listed: dict[str, None] = {}
        self.registered: dict[str, list[str]] = {}
        """Class → the texts that its decorators are given."""
        self.looks_up_own = False
        self._waiting: list[tuple[Iterable[ast.AST], str]] = [(outline.tree.body, TOP)]

    def walk(self) -> None:
        """Fill the tables."""
        while self._waiting:
            self._walk_in(*self._waiting.pop())

    def _walk_in(self, nodes: Iterable[ast.AST], key: str) -> None:
        """Look at code of one unit, and put that of others on the list. This sees every node: it compares types."""
        uses, names = self.uses.setdefault(key, {}), self._names
        waiting: list[Any] = list(nodes)
        while waiting:
            node = waiting.pop()
            kind = type(node)
            if kind is ast.Name:
                if type(node.ctx) is not ast.Store:
                    uses[names.get(node.id, node.id)] = None
            elif kind is ast.Attribute:
                if type(node.ctx) is not ast.Store:
                    uses[node.attr] = None
                waiting.append(node.value)
            elif kind is ast.Constant:
                if type(node.value) is str and len(node.value) <= _LONGEST_PATH:
                    self._read_string(node.value)
            elif kind is ast.Call:
                waiting += self._parts_of_call(node)
            elif kind in _DEFINITIONS:
                waiting += self._parts_of_definition(node, key)
            elif kind in _PARTLY_READ:
                waiting += self._parts(node)
            else:
                waiting += children(node)

    def _parts_of_call(self, call: ast.Call) -> list[ast.expr]:
        """What of a call may run or build what it names."""
        if type(call.func) is ast.Name:
            called = call.func.id
            if called in ("isinstance", "issubclass") and call.args:
                return call.args[:1]
            if called == "getattr" and len(call.args) > 1 and not _is_text(call.args[1]):
                self.patterns[pattern := _pattern(call.args[1])] = None
                owner = call.args[0]
                self.looks_up_own |= pattern == _ANYTHING and isinstance(owner, ast.Name) and owner.id == "self"
        if not call.keywords:
            return [call.func, *call.args]
        return [call.func, *call.args, *[keyword.value for keyword in call.keywords]]

    def _parts_of_definition(self, node: ast.AST, key: str) -> Iterable[ast.AST]:
        """What of a function or class the unit around it runs; the rest is put on the list."""
        if isinstance(node, ast.ClassDef):
            cls = self._classes.get(node)
            fields = [part.annotation for part in node.body if isinstance(part, ast.AnnAssign)]
            own_key = class_key(cls.name) if cls is not None else key
            self._waiting.append(((*node.bases, *fields), own_key))
            decorators = self._parts_of_decorators(node.decorator_list, own_key)
            return (*decorators, *[item.value for item in node.keywords], *node.body)
        assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        own = self._outline.function_of.get(node)
        self._waiting.append((node.body, self._keys.function(own) if own is not None else key))
        return (*node.decorator_list, *_defaults(node.args))

    def _parts_of_decorators(self, decorators: Iterable[ast.expr], key: str) -> Iterator[ast.expr]:
        """What the decorators of a class run. The texts that they are given name the class, and call nothing."""
        for decorator in decorators:
            if not isinstance(decorator, ast.Call):
                yield decorator
                continue
            yield decorator.func
            for value in (*decorator.args, *[keyword.value for keyword in decorator.keywords]):
                if isinstance(text := constant(value), str):
                    self.registered.setdefault(key, []).append(text)
                else:
                    yield value

    def _parts(self, node: ast.AST) -> Iterable[ast.AST]:
        """What of a node may run or build what it names, for types of which a part does not."""
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) if name != "__all__":  # most of them
                return (*node.targets, node.value)
            case ast.Assign(targets=[ast.Name(id="__all__")]) | ast.AugAssign(target=ast.Name(id="__all__")):
                return self._parts_of_list(node.value)
            case ast.Lambda():
                return (*_defaults(node.args), node.body)
            case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant()):
                return ()
            case ast.AnnAssign():
                return (node.target,) if node.value is None else (node.target, node.value)
            case ast.ExceptHandler():
                return node.body
            case ast.match_case():
                return node.body if node.guard is None else (node.guard, *node.body)
        return children(node)

    def _parts_of_list(self, value: ast.expr) -> Iterable[ast.expr]:
        """Names in a list say what a file offers; a dict of this name is a table that builds what it holds."""
        if not isinstance(value, ast.List | ast.Tuple):
            return (value,)
        self.listed |= dict.fromkeys([item for part in value.elts if isinstance(item := constant(part), str)])
        return ()

    def _read_string(self, text: str) -> None:
        if text.isascii() and text.isidentifier():
            self.quoted[text] = None
        elif _PATH.search(text):
            self.quoted |= dict.fromkeys(_WORD.findall(text))


def _defaults(arguments: ast.arguments) -> Iterator[ast.expr]:
    yield from arguments.defaults
    yield from (item for item in arguments.kw_defaults if item is not None)


def _pattern(name: ast.expr) -> str:
    """The pattern of the names that an expression may be; what only the run knows is anything."""
    match name:
        case ast.JoinedStr(values=parts):
            return "".join(map(_pattern, parts))
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _pattern(left) + _pattern(right)
        case ast.Constant(value=str(text)):
            return re.escape(text)
    return _ANYTHING


def _is_text(node: ast.expr) -> bool:
    return isinstance(constant(node), str)
