"""Modules, classes and functions of the project: what is defined when the top level of a file is executed."""

from __future__ import annotations

import ast
import re
from bisect import insort
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal

from trainlint.analysis.tables.file_words.devices import NAME_OF_DEVICE
from trainlint.interpreter import bounds
from trainlint.interpreter.text import text
from trainlint.interpreter.values.value import Environment, Value

TEST_PATH: Final = re.compile(
    r"(^|/)(tests?|testing|unit_tests?|benchmarks?)/|(^|/)(test_[^/]*|[^/]*_test|conftest|setup)\.py$"
)
Kind = Literal["plain", "staticmethod", "classmethod", "property", "setter", "contextmanager"]
_KINDS: Final[dict[str, Kind]] = {
    "staticmethod": "staticmethod",
    "classmethod": "classmethod",
    "property": "property",
    "cached_property": "property",
    "contextmanager": "contextmanager",
    "setter": "setter",
    "deleter": "setter",
}
_MEMO: Final = re.compile(r"(^|\.)(lru_cache|cache)$")
_NO_GRAD: Final = re.compile(r"(^|\.)(no_grad|inference_mode)$")
AnyFunction = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def _words(node: ast.AST) -> tuple[str, ...]:
    """The names and strings of a node itself."""
    match node:
        case ast.Name(id=word) | ast.Attribute(attr=word) | ast.arg(arg=word) | ast.Constant(value=str(word)):
            return (word,)
        case ast.keyword(arg=str(word)) | ast.ImportFrom(module=str(word)) | ast.alias(name=word):
            return (word,)
    return ()


@dataclass(eq=False)
class Module:
    """A file of the project, and what its top level has defined so far."""

    path: str
    """Below the root of the project, with slashes."""
    name: str
    """Dotted, as it is imported from the root of the project."""
    tree: ast.Module
    names: Environment = field(default_factory=dict)
    star_imports: dict[str, None] = field(default_factory=dict)
    """Libraries whose names were all imported."""
    executed: bool = False
    imported: bool = False
    """Whether another file of the project imports this one, so far."""

    imports: set[Module] = field(default_factory=set)
    """Files of the project that this one imports, so far."""
    spent: int = 0
    """How many statements of the file were executed."""
    allowed: int = field(init=False)
    """How many may be."""
    is_test: bool = field(init=False)
    """Whether the path is one of tests or benchmarks."""

    def __post_init__(self) -> None:
        lines = self.tree.body[-1].end_lineno or 0 if self.tree.body else 0
        most = max(bounds.FEWEST_STATEMENTS, bounds.STATEMENTS_A_LINE * lines)
        self.allowed = min(most, bounds.MOST_STATEMENTS)
        self.is_test = TEST_PATH.search(self.path) is not None

    @property
    def is_program(self) -> bool:
        """Whether the file does something when it is executed, besides defining names."""
        return any(isinstance(node, ast.If | ast.For | ast.While | ast.With) for node in self.tree.body)

    @cached_property
    def trains_on_host(self) -> bool:
        """Whether neither this program nor what it has imported so far names a device."""
        reached, waiting = {self}, [self]
        while waiting:
            found = waiting.pop().imports - reached
            reached |= found
            waiting.extend(found)
        return not any(module.names_device for module in reached)

    @cached_property
    def names_device(self) -> bool:
        """Whether the file itself names a device, or a framework that chooses one."""
        return any(NAME_OF_DEVICE.search(word) for node in ast.walk(self.tree) for word in _words(node))

    @property
    def is_package(self) -> bool:
        """Whether the file is an `__init__.py`."""
        return self.path.rpartition("/")[2] == "__init__.py"


class Class:
    """A class statement, with what its body defines and its bases."""

    __slots__ = ("_answers", "_named", "below", "fields", "module", "names", "node", "order", "scopes")

    def __init__(self, node: ast.ClassDef, module: Module, scopes: tuple[Environment, ...]) -> None:
        self.node, self.module, self.scopes = node, module, scopes
        self._named: tuple[str, ...] = ()
        self._answers: dict[re.Pattern[str], bool] = {}
        self.names: Environment = {}
        self.fields: dict[str, ast.expr] = {}
        """Annotated names in their order: what a dataclass is made with."""
        self.order: tuple[Class, ...] = (self,)
        """The class and its bases in the project, in the order in which names are looked up."""
        self.below: list[Class] = []
        """Some classes that inherit from it, in the order of their files and lines."""

    @property
    def name(self) -> str:
        """The name in the class statement."""
        return self.node.name

    def set_bases(self, bases: tuple[Class, ...], named: tuple[str, ...]) -> bool:
        """Set what the class statement names as bases: classes of the project, and dotted names of others.

        Returns whether all classes that it inherits from are looked at.
        """
        found: dict[Class, None] = {self: None}
        for base in bases:
            found.update(dict.fromkeys(base.order))
            if len(found) > bounds.BASES:
                break
        self._named, self.order = named, tuple(found)[: bounds.BASES]
        self._answers.clear()
        for base in self.order[1:]:
            if self not in base.below:
                insort(base.below, self, key=_place)
                del base.below[bounds.SUBCLASSES :]
        return len(found) <= bounds.BASES

    @property
    def library_bases(self) -> tuple[str, ...]:
        """Dotted names of the bases that are not in the project."""
        return tuple(name for cls in self.order for name in cls._named)

    def find(self, name: str) -> Value | None:
        """What the class or the nearest base in the project defines under a name."""
        for cls in self.order:
            if name in cls.names:
                return cls.names[name]
        return None

    def is_a(self, pattern: re.Pattern[str]) -> bool:
        """Whether a base outside the project has a name that a pattern finds."""
        known = self._answers.get(pattern)
        if known is None:
            known = self._answers[pattern] = any(pattern.search(base) for base in self.library_bases)
        return known


def _place(cls: Class) -> tuple[str, int]:
    return cls.module.path, cls.node.lineno


class Function:
    """A function or lambda, with the scopes around it."""

    __slots__ = (
        "abstract",
        "body",
        "cls",
        "decorators",
        "defaults",
        "kind",
        "memo",
        "module",
        "name",
        "named_defaults",
        "no_grad",
        "node",
        "scopes",
    )

    def __init__(self, node: AnyFunction, module: Module, cls: Class | None) -> None:
        self.node, self.module, self.cls = node, module, cls
        self.name: str = "<lambda>" if isinstance(node, ast.Lambda) else node.name
        """The name in its def statement."""
        self.body: list[ast.stmt] = (
            [ast.copy_location(ast.Return(node.body), node.body)] if isinstance(node, ast.Lambda) else node.body
        )
        """The statements; of a lambda one return."""
        self.scopes: tuple[Environment, ...] = ()
        self.defaults: tuple[Value, ...] = ()
        """Of the last positional parameters."""
        self.named_defaults: tuple[Value | None, ...] = ()
        """Of the parameters that are given by name alone."""
        self.decorators = tuple(map(text, getattr(node, "decorator_list", ())))
        names = [code.partition("(")[0] for code in self.decorators]
        self.kind: Kind = next((_KINDS[last] for name in names if (last := name.rpartition(".")[2]) in _KINDS), "plain")
        self.no_grad = any(_NO_GRAD.search(name) for name in names)
        self.memo = any(_MEMO.search(name) for name in names)
        """Whether it remembers what it gave for its arguments."""
        self.abstract = cls is not None and all(_does_nothing(statement) for statement in self.body)
        """Whether a method is left to subclasses."""

    @property
    def qualified_name(self) -> str:
        """The name with that of its class, for people."""
        return self.name if self.cls is None else f"{self.cls.name}.{self.name}"

    @property
    def parameters(self) -> list[ast.arg]:
        """Those that are given by position or name, then those given by name alone."""
        spec = self.node.args
        return [*spec.posonlyargs, *spec.args, *spec.kwonlyargs]


def _does_nothing(statement: ast.stmt) -> bool:
    """Whether a statement is a docstring, `pass`, `...` or raises `NotImplementedError`."""
    match statement:
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Raise(exc=ast.Name(id="NotImplementedError") | ast.Call(func=ast.Name(id="NotImplementedError"))):
            return True
    return False
