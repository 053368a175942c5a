"""Where a piece of code stands: the blocks around it, the scopes it sees, the names bound there."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from enum import auto

from trainlint.analysis.syntax.fast_enum import Choice
from trainlint.analysis.syntax.names import argument, last_name

Position = tuple[int, int]
"""A 1-based line and a 0-based column in UTF-8 bytes, as `ast` counts them."""

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class BlockKind(Choice):
    """What encloses a piece of code."""

    MODULE = auto()
    CLASS = auto()
    FUNCTION = auto()
    LOOP = auto()
    BRANCH = auto()
    """Runs only if a test holds: an `if`, its `else`, a short circuit, or what follows an early exit."""
    WITH = auto()
    EXCEPT = auto()


@dataclass(slots=True, eq=False)
class Block:
    """One enclosing construct. Compared by identity; `parent` leads outwards to the module."""

    kind: BlockKind
    node: ast.AST
    parent: Block | None
    scope: Scope
    test: ast.expr | None = None
    """For BRANCH: the expression that decides."""
    negated: bool = False
    """For BRANCH: whether the block runs when the test is false."""
    after_exit: bool = False
    """For BRANCH: whether it is what follows an early `continue`, `return`, `break` or `raise`."""
    number: int = 0
    """Its place in the outline's list of blocks."""

    def outwards(self) -> list[Block]:
        """This block and all around it, innermost first."""
        chain: list[Block] = []
        block: Block | None = self
        while block is not None:
            chain.append(block)
            block = block.parent
        return chain

    def loops(self) -> list[Block]:
        """The loops around this block in its function, innermost first; itself included where it is a loop's body."""
        found: list[Block] = []
        block: Block | None = self
        while block is not None and block.kind is not BlockKind.FUNCTION:
            if block.kind is BlockKind.LOOP:
                found.append(block)
            block = block.parent
        return found

    def innermost_loop(self) -> Block | None:
        """The first of `loops`; None outside of loops."""
        return next(iter(self.loops()), None)

    def within(self, other: Block) -> bool:
        """Whether this block is `other` or stands inside it."""
        block: Block | None = self
        while block is not None:
            if block is other:
                return True
            block = block.parent
        return False


def outside_with(block: Block) -> Block:
    """The block that runs whenever this one does: what a `with` holds surely runs."""
    while block.kind is BlockKind.WITH and block.parent is not None:
        block = block.parent
    return block


class How(Choice):
    """How a name got its value."""

    ASSIGN = auto()
    AUGMENT = auto()
    FOR = auto()
    """The value expression is what is iterated."""
    WITH = auto()
    PARAMETER = auto()
    FUNCTION = auto()
    CLASS = auto()
    IMPORT = auto()
    OTHER = auto()


@dataclass(slots=True, eq=False)
class Binding:
    """One place that gives a name, or an attribute of `self`, a value. Nothing changes it, as with a Place."""

    name: str
    how: How
    value: ast.expr | None
    """What is assigned, augmented by or iterated; a parameter's default."""
    path: tuple[int, ...]
    """Indices that unpacking applies to the value: (1, 0) for `b` in `a, (b, c) = value`; -1 for a starred one."""
    position: Position
    """From here on the name has this value: the end of the binding statement."""
    block: Block
    node: ast.AST
    """The statement, argument, function or class that binds."""


@dataclass(slots=True, eq=False)
class Scope:
    """The names of a module, class, function, lambda or comprehension."""

    node: ast.AST
    parent: Scope | None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    foreign: frozenset[str] = frozenset()
    """Names declared `global` or `nonlocal`: they belong to an outer scope."""
    disordered: frozenset[str] = frozenset()
    """Names with a binding that takes effect before one that was met earlier."""

    def bind(self, binding: Binding) -> None:
        """Record a binding here, or in the scope that a `global` or `nonlocal` statement means."""
        name, scope = binding.name, self
        while name in scope.foreign and scope.parent is not None:
            scope = scope.parent
        found = scope.bindings.get(name)
        if found is None:
            scope.bindings[name] = [binding]
            return
        if binding.position < found[-1].position:
            scope.disordered |= {name}
        found.append(binding)

    def owner(self, name: str) -> Scope | None:
        """The nearest scope, outwards, that binds a name. Class bodies are not seen from inside functions."""
        if name in self.bindings:
            return self
        scope = self.parent
        while scope is not None:
            if name in scope.bindings and type(scope.node) is not ast.ClassDef:
                return scope
            scope = scope.parent
        return None


@dataclass(slots=True, eq=False)
class Place:
    """A node that a rule may ask about, with where it stands.

    Nothing changes a place. It is not frozen, since frozen ones take twice as long to make, and a file of a thousand
    lines has six hundred.
    """

    node: ast.AST
    block: Block
    statement: ast.stmt
    """The smallest statement that holds the node."""


@dataclass(slots=True, eq=False)
class Function:
    """A function, method or lambda of the file."""

    node: FunctionNode
    name: str
    qualified_name: str
    """As in "Trainer.step" or "main.<locals>.closure"."""
    owner: Class | None
    """The class of which it is a method."""
    outside: Block
    """The block in which it is defined."""
    body: Block
    returns: list[Place] = field(default_factory=list)
    yields: list[Place] = field(default_factory=list)
    """Its `yield` and `yield from`."""
    parameters: list[ast.arg] = field(init=False)
    """All named parameters in order, `self` included."""
    takes_object: bool = field(init=False)
    """Whether its first parameter is the object, or the class, that it is called on."""

    def __post_init__(self) -> None:
        arguments = self.node.args
        self.parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        self.takes_object = self.owner is not None and bool(self.parameters) and not self.is_decorated("staticmethod")

    @property
    def is_generator(self) -> bool:
        """Whether a call makes an iterator, and runs nothing of the code."""
        return bool(self.yields)

    def is_decorated(self, name: str) -> bool:
        """Whether one of the decorators ends with this name, such as "staticmethod"."""
        return any(last_name(item) == name for item in self.decorators)

    def argument_in(self, call: ast.Call, name: str) -> ast.expr | None:
        """What a call of the function gives for one of its parameters; None where it gives nothing, or hides it."""
        place = [item.arg for item in self.parameters].index(name) - self.takes_object
        return argument(call, name, place if place >= 0 else None)

    @property
    def defaults(self) -> list[tuple[ast.arg, ast.expr | None]]:
        """Each of the parameters with what it is where no call passes it; None where each must."""
        arguments = self.node.args
        required = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults)
        values = [*[None] * required, *arguments.defaults, *arguments.kw_defaults]
        return [*zip(self.parameters, values, strict=True)]

    @property
    def decorators(self) -> list[ast.expr]:
        """The decorator expressions; none for a lambda."""
        return [] if isinstance(self.node, ast.Lambda) else self.node.decorator_list


@dataclass(slots=True, eq=False)
class Class:
    """A class of the file."""

    node: ast.ClassDef
    name: str
    outside: Block
    methods: dict[str, Function] = field(default_factory=dict)
    attributes: dict[str, list[Binding]] = field(default_factory=dict)
    """What its methods assign to `self.<name>`, and its body to `<name>`."""
    fillings: dict[str, list[Place]] = field(default_factory=dict)
    """What its methods put into a container `self.<name>`: the stored value, or a call of `self.<name>.append(...)`."""
