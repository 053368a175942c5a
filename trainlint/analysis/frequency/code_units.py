"""The functions and classes of a file with the names that the code of each uses: what `running_code` works on.

A name counts where the code may run or build what it names. Imports, `__all__`, annotations of functions, tests of
types (`isinstance`, `except`), comments and docstrings run nothing. A base class is used by the class that derives
from it, and so is what the fields of a class body are declared to hold.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, NamedTuple

from trainlint.analysis.frequency.framework_roles import is_plain_base, role
from trainlint.analysis.syntax.blocks import BlockKind, Class, Function
from trainlint.analysis.syntax.names import children, constant, last_name
from trainlint.analysis.syntax.outline import Outline
from trainlint.analysis.syntax.stable_keys import Keys
from trainlint.analysis.tables import optimizers
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
    walk = _Walk(outline, keys)
    walk.walk()
    units = [Unit(TOP, "", (), False, tuple(walk.uses.get(TOP, ())))]
    for function in outline.functions:
        key = keys.function(function)
        name = _needed_name(function, bases)
        is_attribute = function.owner is not None
        units.append(Unit(key, name, _within(outline, keys, function), is_attribute, tuple(walk.uses.get(key, ()))))
    for cls in outline.classes.values():
        key = class_key(cls)
        name = cls.name if _is_made_by_name(cls) else ""
        around = outline.enclosing(cls.outside)
        within = (keys.function(around),) if around is not None else ()
        is_attribute = cls.outside.kind is BlockKind.CLASS
        units.append(Unit(key, name, within, is_attribute, tuple(walk.uses.get(key, ()))))
    offered = dict.fromkeys([*walk.listed, *_imported(outline)])
    patterns = tuple([pattern for pattern in walk.patterns if pattern != _ANYTHING])
    return CodeUnits(tuple(units), tuple(walk.quoted), patterns, walk.looks_up_own, tuple(offered))


def class_key(cls: Class) -> str:
    """The key of a class, which no function has."""
    return f"class {cls.name}"


def _within(outline: Outline, keys: Keys, function: Function) -> tuple[str, ...]:
    around = outline.enclosing(function.outside)
    outer = (keys.function(around),) if around is not None else ()
    owner = function.owner
    if owner is None or outline.classes.get(owner.name) is not owner:
        return outer
    return (class_key(owner), *outer)


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


def _is_called_by_name(function: Function, bases: Mapping[str, tuple[str, ...]]) -> bool:
    if isinstance(function.node, ast.Lambda) or _STARTED.search(function.name):
        return False
    decorators = (item.func if isinstance(item, ast.Call) else item for item in function.decorators)
    if any(last_name(item) not in TRANSPARENT for item in decorators):
        return False
    owner = function.owner.name if function.owner is not None else None
    known = bases.get(owner or "", ())
    return all(map(is_plain_base, known)) and not role(function.name, function.qualified_name, owner, known, ())


def _is_made_by_name(cls: Class) -> bool:
    return not cls.node.decorator_list and not cls.node.keywords


class _Walk:
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
        self.looks_up_own = False
        self._waiting: list[tuple[Iterable[ast.AST], str]] = [(outline.tree.body, TOP)]

    def walk(self) -> None:
        """Fill the tables."""
        while self._waiting:
            self._walk_in(*self._waiting.pop())

    def _walk_in(self, nodes: Iterable[ast.AST], key: str) -> None:
        """Look at code of one unit, and put that of others on the list. This sees every node: it compares types."""
        uses, names, parts_of = self.uses.setdefault(key, {}), self._names, self._parts_of
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
            else:
                parts = parts_of.get(kind)
                waiting += parts(self, node, key) if parts is not None else children(node)

    # Each of the following gives what of a node may run or build what it names, in code of the unit `key`.

    def _call(self, call: ast.Call, key: str) -> list[ast.expr]:
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

    def _class(self, node: ast.ClassDef, key: str) -> Iterable[ast.AST]:
        """Its bases are put on the list."""
        cls = self._classes.get(node)
        fields = [part.annotation for part in node.body if isinstance(part, ast.AnnAssign)]
        self._waiting.append(((*node.bases, *fields), class_key(cls) if cls is not None else key))
        return (*node.decorator_list, *[item.value for item in node.keywords], *node.body)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, key: str) -> Iterable[ast.AST]:
        """Its body is put on the list."""
        own = self._outline.function_of.get(node)
        self._waiting.append((node.body, self._keys.function(own) if own is not None else key))
        return (*node.decorator_list, *_defaults(node.args))

    def _assignment(self, node: ast.Assign, key: str) -> Iterable[ast.AST]:
        """A name that is assigned to runs nothing."""
        target = node.targets[0]
        if type(target) is not ast.Name or len(node.targets) > 1:
            return (*node.targets, node.value)
        return (node.value,) if target.id != "__all__" else self._listed(node.value)

    def _augmented(self, node: ast.AugAssign, key: str) -> Iterable[ast.AST]:
        is_list = isinstance(node.target, ast.Name) and node.target.id == "__all__"
        return self._listed(node.value) if is_list else (node.target, node.value)

    def _annotated(self, node: ast.AnnAssign, key: str) -> Iterable[ast.AST]:
        return (node.target,) if node.value is None else (node.target, node.value)

    def _statement(self, node: ast.Expr, key: str) -> Iterable[ast.AST]:
        return () if type(node.value) is ast.Constant else (node.value,)

    def _lambda(self, node: ast.Lambda, key: str) -> Iterable[ast.AST]:
        return (*_defaults(node.args), node.body)

    def _import(self, node: ast.Import | ast.ImportFrom, key: str) -> Iterable[ast.AST]:
        return ()

    def _handler(self, node: ast.ExceptHandler, key: str) -> Iterable[ast.AST]:
        return node.body

    def _case(self, node: ast.match_case, key: str) -> Iterable[ast.AST]:
        return node.body if node.guard is None else (node.guard, *node.body)

    _parts_of: ClassVar[Mapping[type, Callable[[_Walk, Any, str], Iterable[ast.AST]]]] = {
        ast.Call: _call,
        ast.Expr: _statement,
        ast.Assign: _assignment,
        ast.AugAssign: _augmented,
        ast.AnnAssign: _annotated,
        ast.FunctionDef: _function,
        ast.AsyncFunctionDef: _function,
        ast.ClassDef: _class,
        ast.Lambda: _lambda,
        ast.Import: _import,
        ast.ImportFrom: _import,
        ast.ExceptHandler: _handler,
        ast.match_case: _case,
    }
    """Types of nodes of which a part runs nothing, or something else than the unit around them."""

    def _listed(self, value: ast.expr) -> Iterable[ast.expr]:
        """Names in a list say what a file offers; a dict of this name is a table that builds what it holds."""
        if not isinstance(value, ast.List | ast.Tuple):
            return (value,)
        self.listed |= dict.fromkeys([item for part in value.elts if isinstance(item := constant(part), str)])
        return ()

    def _read_string(self, text: str) -> None:
        if text.isascii() and text.isidentifier():
            self.quoted[text] = None
        elif (":" in text or " " not in text) and _PATH.search(text):  # others are sentences
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
