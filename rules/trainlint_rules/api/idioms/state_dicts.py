"""Whether what `torch.load` reads surely is tensors and plain containers alone, as `weights_only=True` asks for."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from trainlint.analysis.effects.saved_files import file_name, saved_files
from trainlint.analysis.syntax.blocks import Block, How
from trainlint.analysis.syntax.names import argument, children, constant, last_name, nodes_in
from trainlint.analysis.types.batches import passed
from trainlint.analysis.types.values import Kind
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel
    from trainlint.analysis.site import Site
    from trainlint.analysis.syntax.blocks import Function, Place

_NO_MODULE = lazy(r"optim|sched|scaler|trainer|engine|ema|sampler|loader|state|(^|_)opt", re.IGNORECASE)
_LOOKS = frozenset({"len", "list", "sorted", "print", "isinstance", "type", "set"})
_DEEPEST = 4


def surely_loads_tensors(site: Site) -> bool:
    """Whether the code shows that a file holds tensors and plain containers alone.

    Either all that the project saves under this file's name is such, or nothing is done to what is loaded but to hand
    it to `load_state_dict` of a module, whole.
    """
    file = site.file
    name = file_name(file, argument(site.call, "f", 0), site.block) or ""
    known = [saved[name] for saved in (saved_files(file), file.outside.saved) if name in saved]
    if known:
        return all(known)
    return _Uses(file).is_state_dict(site.call, site.place, 0)


@dataclass(eq=False)
class _Uses:
    """Follows what is loaded through names and helpers of a file."""

    file: SemanticModel

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """Each node's parent."""
        return {child: node for node in nodes_in(self.file.tree) for child in children(node)}

    def is_state_dict(self, node: ast.expr, place: Place, depth: int) -> bool:
        """Whether an expression is used as a module's state in one way at least, and in no other way."""
        uses = self._uses(node, place.block, depth)
        return False not in uses and True in uses

    def _uses(self, node: ast.expr, block: Block, depth: int) -> set[bool | None]:
        """How an expression is used: True as a module's state, None in a way that tells nothing, else False."""
        parent = self.parents.get(node)
        while isinstance(parent, ast.IfExp | ast.NamedExpr) and node is not getattr(parent, "test", None):
            node, parent = parent, self.parents.get(parent)
        if depth > _DEEPEST:
            return {False}
        match parent:
            case ast.Call(func=func) if node is not func:
                return self._use_as_argument(parent, node, block, depth)
            case ast.Attribute(attr="items" | "keys" | "values" | "copy"):
                return {None}
            case ast.For() | ast.comprehension() | ast.Delete() | ast.Expr():
                return {None}
            case ast.Compare(left=key) | ast.Subscript(slice=key) if node is not key:
                return {None if _is_name_of_weight(key) or self._is_counted(key, block) else False}
            case ast.Assign(targets=[ast.Name(id=name)]):
                return self._of_name(name, parent, block, depth)
            case ast.Return():
                return self._of_callers(block, depth)
        return {False}

    def _use_as_argument(self, call: ast.Call, node: ast.expr, block: Block, depth: int) -> set[bool | None]:
        """How a call uses what it is given."""
        if isinstance(call.func, ast.Attribute) and call.func.attr == "load_state_dict":
            return {self._is_module(call.func.value, block)}
        if isinstance(call.func, ast.Name) and call.func.id in _LOOKS:
            return {None}
        edge = self.file.graph.callee.get(call)
        if edge is None or edge.passed:
            return {False}
        function: Function = edge.function
        names = [item.arg for item in function.parameters if function.argument_in(call, item.arg) is node]
        return self._in_function(names[0], function.node, function.body, depth) if names else {False}

    def _of_name(self, name: str, statement: ast.Assign, block: Block, depth: int) -> set[bool | None]:
        """How the uses of a name go about what an assignment gives it."""
        function = self.file.outline.enclosing(block)
        root = function.node if function is not None else self.file.tree
        found: set[bool | None] = set()
        for used in nodes_in(root):
            if isinstance(used, ast.Name) and used.id == name and isinstance(used.ctx, ast.Load):
                if any(item.node is statement for item in self.file.outline.bindings(used, block)):
                    found |= self._uses(used, block, depth + 1)
        return found | self._of_state_made(root, name, block)

    def _in_function(self, name: str, root: ast.AST, block: Block, depth: int) -> set[bool | None]:
        """How a function uses one of its parameters."""
        found: set[bool | None] = set()
        for used in nodes_in(root):
            if isinstance(used, ast.Name) and used.id == name:
                found |= self._uses(used, block, depth + 1) if isinstance(used.ctx, ast.Load) else {False}
        return found | self._of_state_made(root, name, block)

    def _of_state_made(self, root: ast.AST, name: str, block: Block) -> set[bool | None]:
        """True where a dict that is made of the items of what is loaded is a module's state."""
        for call in nodes_in(root):
            if not isinstance(call, ast.Call) or last_name(call.func) != "load_state_dict" or not call.args:
                continue
            of_name = (part for item in self._comprehensions(call.args[0], block) for part in nodes_in(item))
            if isinstance(call.func, ast.Attribute) and any(
                isinstance(part, ast.Name) and part.id == name for part in of_name
            ):
                return {self._is_module(call.func.value, block)}
        return set()

    def _comprehensions(self, state: ast.expr, block: Block) -> list[ast.expr]:
        """What the comprehensions go through that make a dict, which may have a name."""
        made = [state]
        if isinstance(state, ast.Name):
            bindings = self.file.outline.bindings(state, block)
            made = [item.value for item in bindings if item.how is How.ASSIGN and item.value is not None]
        return [item.generators[0].iter for item in made if isinstance(item, ast.DictComp)]

    def _of_callers(self, block: Block, depth: int) -> set[bool | None]:
        """How the callers of the function around use what it returns; unknown where other files may call it."""
        function = self.file.outline.enclosing(block)
        if function is None or self.file.keys.function(function) in self.file.outside.gradients_off:
            return {False}
        found: set[bool | None] = set()
        for edge in self.file.graph.callers.get(function, ()):
            node = edge.place.node
            found |= self._uses(node, edge.place.block, depth + 1) if isinstance(node, ast.Call) else {False}
        return found or {False}

    def _is_module(self, owner: ast.expr, block: Block) -> bool:
        """Whether `load_state_dict` of an object takes tensors by their names alone."""
        value = self.file.kinds.of(owner, block)
        if value.kind is Kind.MODULE:
            return True
        if isinstance(owner, ast.Name):
            of_class = self.file.outline.self_class(owner, block)
            if of_class is not None:
                return self.file.kinds.is_module_class(of_class)
        if value.kind is not Kind.UNKNOWN or _NO_MODULE.search(last_name(owner)):
            return False
        function = self.file.outline.enclosing(block)
        if isinstance(owner, ast.Name) and function is not None:
            given = list(passed(self.file.graph, function, owner.id))
            return all(self._is_module(item, outer) for item, outer in given)
        return True

    def _is_counted(self, key: ast.expr, block: Block) -> bool:
        """Whether a key is one that a loop goes through."""
        bindings = self.file.outline.bindings(key, block) if isinstance(key, ast.Name) else []
        return bool(bindings) and all(item.how is How.FOR for item in bindings)


def _is_name_of_weight(key: ast.expr) -> bool:
    """Whether a key is the name of a parameter: text with a dot, which may be put together."""
    return any(isinstance(text := constant(part), str) and "." in text for part in nodes_in(key))
