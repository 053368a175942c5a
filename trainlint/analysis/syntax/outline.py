"""Who stands where in a file, what is bound, what is called.

The outline indexes the tree and keeps no copy of it. All deeper facts (heat, kinds, gradient mode)
are asked of it later, and only for the places that a rule wants to look at.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from itertools import chain

from trainlint.analysis.syntax.blocks import Binding, Block, Class, Function, How, Place
from trainlint.analysis.syntax.names import position
from trainlint.analysis.syntax.reaching import reaching


class Outline:
    """What stands in a file, in source order. Built by `outline`, then only read."""

    def __init__(self, tree: ast.Module, module: Block) -> None:
        self.tree = tree
        self.module = module
        self.blocks = [module]
        """Every block, the module's first, each after the block around it."""
        self.bodies = [module]
        """For each block, by its number, the innermost loop, function or module block around it, itself included."""
        self.functions_around: list[Function | None] = [None]
        """For each block, by its number, the innermost function around it."""
        self.imports: dict[str, str] = {}
        """Local name → dotted origin, for every import of the file wherever it stands."""
        self.import_statements: list[Place] = []
        self.stars: list[str] = []
        """Dotted origins of the modules of which every name is imported; relative ones keep their dots."""
        self.functions: list[Function] = []
        self.object_names: set[str] = set()
        """How methods call their own object: "self", "cls"."""
        self.classes: dict[str, Class] = {}
        self.loops: list[Place] = []
        self.calls: dict[str, list[Place]] = {}
        """Calls by the last word of what is called."""
        self.references: list[Place] = []
        """Outermost name chains that start at an imported name."""
        self.reads: list[Place] = []
        """What Python asks for its truth (tests, and what `not`, `and` and `or` stand before or between), and what it
        makes text of (formatted values and `%`)."""
        self.subscripts: list[Place] = []
        """Indexing by anything but a constant: reads, stores and augmented stores."""
        self.accumulations: list[Place] = []
        self.dicts: dict[str, list[Place]] = {}
        """Dicts that are written out, by each of their keys."""
        self.stores: dict[str, list[Place]] = {}
        """Assignments to `<...>.name` or `<...>["name"]`, by that name."""
        self.fillings: dict[str, list[Place]] = {}
        """What is put into containers, by the container's name: the stored value, or a call of `name.append(...)`."""
        self.function_of: dict[ast.AST, Function] = {}
        self.loop_blocks: dict[ast.AST, Block] = {}
        """Loop node → the block of its body."""
        self.block_of: dict[ast.stmt, Block] = {}
        """The block in which each statement stands."""
        self.calls_by_loop: dict[Block | None, list[Place]] = {}
        """Calls by the innermost loop or function block that holds them."""

    def all_calls(self) -> Iterator[Place]:
        """Every call of the file."""
        return chain.from_iterable(self.calls.values())

    def may_be_starred(self, name: str, block: Block) -> bool:
        """Whether a name that nothing in the file binds may come from `from module import *`."""
        return bool(self.stars) and block.scope.owner(name) is None and not hasattr(builtins, name)

    def enclosing(self, block: Block) -> Function | None:
        """The innermost function around a block."""
        return self.functions_around[block.number]

    def self_class(self, node: ast.Name, block: Block) -> Class | None:
        """The class whose method calls its own object by this name, as in `self`."""
        name = node.id
        if name not in self.object_names:
            return None
        scope = block.scope.owner(name)
        function = self.function_of.get(scope.node) if scope is not None else None
        if function is None or not function.takes_object or function.parameters[0].arg != name:
            return None
        return function.owner

    def bindings(self, node: ast.expr, block: Block) -> list[Binding]:
        """What assigns a name, or an attribute of the object whose method a block stands in; none for all else."""
        if type(node) is ast.Name:
            return reaching(node.id, block, position(node))
        if type(node) is not ast.Attribute or type(node.value) is not ast.Name:
            return []
        owner = self.self_class(node.value, block)
        return owner.attributes.get(node.attr, []) if owner is not None else []

    def origin(self, node: ast.AST) -> str | None:
        """The dotted origin of a name chain that starts at an import, "torch.nn.Linear" for `nn.Linear`; else None."""
        root = node
        while type(root) is ast.Attribute:
            root = root.value
        origin = self.imports.get(root.id) if type(root) is ast.Name else None
        return _dotted(node, origin) if origin is not None else None

    def package(self, node: ast.AST) -> str | None:
        """The first word of that origin, "torch" for `nn.Linear`; "" for a relative one."""
        while type(node) is ast.Attribute:
            node = node.value
        origin = self.imports.get(node.id) if type(node) is ast.Name else None
        return origin.partition(".")[0] if origin is not None else None

    def imported(self, node: ast.AST, block: Block) -> str | None:
        """The origin of a chain as code in a block sees it: None where the name means something else there."""
        root = node
        while type(root) is ast.Attribute:
            root = root.value
        if type(root) is not ast.Name:
            return None
        name = root.id
        origin = self.imports.get(name)
        if origin is not None:
            scope = block.scope.owner(name)
            bound = scope.bindings[name] if scope is not None else []
            if bound and bound[0].how is not How.IMPORT and all(item.how is not How.IMPORT for item in bound):
                return None
        elif name == "torch" and self.may_be_starred(name, block):
            origin = name  # nothing else is called so: scripts get it from the module whose every name they import
        else:
            return None  # three times of four
        return _dotted(node, origin)


def _dotted(chain: ast.AST, origin: str) -> str:
    """The chain of attributes with the origin of its first name in place of that name."""
    words: list[str] = []
    while type(chain) is ast.Attribute:
        words.append(chain.attr)
        chain = chain.value
    return ".".join((origin, *reversed(words))) if words else origin
