"""The part of the walk that goes through expressions: what is called, read, indexed and bound in them."""

from __future__ import annotations

import ast
from ast import Attribute, Call, Constant, Load, Name
from collections.abc import Callable, Mapping

from trainlint.analysis.syntax.blocks import Binding, Block, BlockKind, Class, Function, How, Place, Position, Scope
from trainlint.analysis.syntax.names import end_position, last_name, position
from trainlint.analysis.syntax.outline import Outline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

_FILLING = frozenset({"append", "add", "insert", "appendleft", "update", "extend"})
_LONGEST = 100
"""How many pieces of a text are gone through to see that it is one."""
_State = tuple[Function | None, Class | None, str]


class ExpressionWalk:
    """The state of one walk, and its way through expressions."""

    def __init__(self, target: Outline) -> None:
        self.outline = target
        self._function: Function | None = None
        self._class: Class | None = None
        self._prefix = ""
        """What stands before the name of a function in its qualified name."""

    def expression(self, root: ast.expr, block: Block, statement: ast.stmt) -> None:
        """Walk an expression with a stack of its own, since chains of operators can be thousands deep.

        A block on the stack is where the nodes below it stand. Types are compared by identity, the most frequent
        first: a walk that asks `isinstance` and gives each node its block takes twice as long.
        """
        imports = self.outline.imports
        if type(root) is Constant or (type(root) is Name and root.id not in imports):
            return  # half of all
        visits, references = self._visits, self.outline.references
        stack: list[Any] = [root]
        calls: list[Place] = []
        while stack:
            node = stack.pop()
            kind = type(node)
            if kind is Name:
                if node.id in imports and type(node.ctx) is Load:
                    references.append(Place(node, block, statement))
            elif kind is Attribute:
                first = node.value
                while type(first) is Attribute:
                    first = first.value
                if type(first) is not Name:
                    stack.append(first)
                elif first.id in imports:
                    references.append(Place(node, block, statement))
            elif kind is Constant:
                continue
            elif kind is Call:
                calls.append(Place(node, block, statement))
                stack.append(node.func)
                if node.args:
                    stack += node.args
                if node.keywords:
                    stack += [keyword.value for keyword in node.keywords]
            elif kind is Block:
                block = node
            elif kind in visits:
                visits[kind](self, node, block, statement, stack)
            else:
                stack += ast.iter_child_nodes(node)
        if calls:
            self._record(calls)

    def _record(self, calls: list[Place]) -> None:
        """Index the calls of one expression, which were met from the last to the first."""
        outline = self.outline
        by_name, by_loop, bodies = outline.calls, outline.calls_by_loop, outline.bodies
        for place in reversed(calls):
            call: Any = place.node
            func = call.func
            name = func.attr if type(func) is Attribute else last_name(func)
            if name in by_name:
                by_name[name].append(place)
            else:
                by_name[name] = [place]
            by_loop.setdefault(bodies[place.block.number], []).append(place)
            if name in _FILLING and call.args and type(func) is Attribute:
                self._fill(func.value, place, call)

    def read(self, test: ast.expr, block: Block, statement: ast.stmt) -> None:
        """Walk an expression that Python asks for its truth."""
        self.outline.reads.append(Place(test, block, statement))
        self.expression(test, block, statement)

    # Each of the following puts the parts of a node on the stack, last what is to be seen first.

    def _sequence(self, node: ast.Tuple | ast.List, block: Block, statement: ast.stmt, stack: list[Any]) -> None:
        stack += node.elts

    def _comparison(self, node: ast.Compare, block: Block, statement: ast.stmt, stack: list[Any]) -> None:
        stack.append(node.left)
        stack += node.comparators

    def _operation(self, node: ast.BinOp, block: Block, statement: ast.stmt, stack: list[Any]) -> None:
        if type(node.op) is ast.Mod and _is_text(node.left):
            self.outline.reads.append(Place(node, block, statement))
        stack += (node.left, node.right)

    def _negation(self, node: ast.UnaryOp, block: Block, statement: ast.stmt, stack: list[Any]) -> None:
        if type(node.op) is ast.Not:
            self.outline.reads.append(Place(node.operand, block, statement))
        stack.append(node.operand)

    def _subscript(self, node: ast.Subscript, block: Block, statement: ast.stmt, stack: list[Any]) -> None:
        if type(node.slice) is not Constant:
            self.outline.subscripts.append(Place(node, block, statement))
        stack += (node.value, node.slice)

    def _text(self, node: ast.JoinedStr, block: Block, statement: ast.stmt, stack: list[Any]) -> None:
        stack += node.values

    def _formatted(self, node: ast.FormattedValue, block: Block, statement: ast.stmt, stack: list[Any]) -> None:
        self.outline.reads.append(Place(node, block, statement))
        stack += ast.iter_child_nodes(node)

    def _dict(self, node: ast.Dict, block: Block, statement: ast.stmt, stack: list[Any]) -> None:
        place = Place(node, block, statement)
        for key in node.keys:
            if isinstance(key, Constant) and isinstance(key.value, str):
                self.outline.dicts.setdefault(key.value, []).append(place)
        stack += [key for key in node.keys if key is not None]
        stack += node.values

    def _yield(self, node: ast.Yield | ast.YieldFrom, block: Block, statement: ast.stmt, stack: list[Any]) -> None:
        if self._function is not None:
            self._function.yields.append(Place(node, block, statement))
        if node.value is not None:
            stack.append(node.value)

    def _assigned(self, node: ast.NamedExpr, block: Block, statement: ast.stmt, stack: list[Any]) -> None:
        self.target(node.target, How.ASSIGN, node.value, block, statement, end_position(node))
        stack.append(node.value)

    def _conditional(self, node: ast.IfExp, block: Block, statement: ast.stmt, stack: list[Any]) -> None:
        self.outline.reads.append(Place(node.test, block, statement))
        body = self.block(BlockKind.BRANCH, node, block, block.scope, node.test)
        orelse = self.block(BlockKind.BRANCH, node, block, block.scope, node.test, negated=True)
        stack += (node.test, block, node.body, body, node.orelse, orelse)

    def _short_circuit(self, node: ast.BoolOp, block: Block, statement: ast.stmt, stack: list[Any]) -> None:
        first, *others = node.values
        rest = self.block(BlockKind.BRANCH, node, block, block.scope, first, isinstance(node.op, ast.Or))
        stack += (first, block, *others, rest)
        asked = zip(node.values[:-1], [block, *[rest] * len(others)], strict=False)
        self.outline.reads.extend(
            # `a or b` of names chooses between objects: nobody chooses between tensors so.
            Place(value, where, statement)
            for value, where in asked
            if isinstance(value, (ast.Compare, ast.Call))
        )

    def _comprehension(
        self,
        node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp,
        block: Block,
        statement: ast.stmt,
        stack: list[Any],
    ) -> None:
        scope = Scope(node, block.scope)
        for generator in node.generators:
            stack += (generator.iter, block)
            block = self.block(BlockKind.LOOP, generator, block, scope)
            self.outline.loop_blocks[generator] = block
            self.target(generator.target, How.FOR, generator.iter, block, statement, position(node))
            for test in generator.ifs:
                self.outline.reads.append(Place(test, block, statement))
                stack += (test, block)
                block = self.block(BlockKind.BRANCH, generator, block, scope, test)
        stack += (node.key, node.value, block) if isinstance(node, ast.DictComp) else (node.elt, block)

    def _lambda(self, node: ast.Lambda, block: Block, statement: ast.stmt, stack: list[Any]) -> None:
        function = self.define(node, "<lambda>", block, statement)
        function.returns.append(Place(ast.Return(node.body), function.body, statement))
        outer = self.enter(function)
        self.expression(node.body, function.body, statement)
        self.leave(outer)

    _visits: ClassVar[Mapping[type, Callable[[ExpressionWalk, Any, Block, ast.stmt, list[Any]], None]]] = {
        ast.Tuple: _sequence,
        ast.List: _sequence,
        ast.Set: _sequence,
        ast.Compare: _comparison,
        ast.BinOp: _operation,
        ast.UnaryOp: _negation,
        ast.Subscript: _subscript,
        ast.JoinedStr: _text,
        ast.FormattedValue: _formatted,
        ast.Dict: _dict,
        ast.Yield: _yield,
        ast.YieldFrom: _yield,
        ast.NamedExpr: _assigned,
        ast.IfExp: _conditional,
        ast.BoolOp: _short_circuit,
        ast.ListComp: _comprehension,
        ast.SetComp: _comprehension,
        ast.GeneratorExp: _comprehension,
        ast.DictComp: _comprehension,
        ast.Lambda: _lambda,
    }
    """What is done for each type of expression that is neither a name, a call nor a literal. Of others, such as those
    of a Python to come, only the parts are seen."""

    # functions, blocks and bindings

    def enter(self, function: Function) -> _State:
        """Go into a function; what is returned leads out of it again."""
        outer = self._function, self._class, self._prefix
        self._function, self._class, self._prefix = function, None, f"{function.qualified_name}.<locals>."
        return outer

    def leave(self, outer: _State) -> None:
        """Go back to where `enter` was called."""
        self._function, self._class, self._prefix = outer

    def define(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, name: str, block: Block, statement: ast.stmt
    ) -> Function:
        """Record a function that a statement of a block defines, with its parameters and their defaults."""
        arguments = node.args
        for value in (*arguments.defaults, *arguments.kw_defaults):
            if value is not None:
                self.expression(value, block, statement)
        scope = Scope(node, block.scope)
        body = self.block(BlockKind.FUNCTION, node, block, scope)
        owner = self._class if block.kind is BlockKind.CLASS else None
        function = Function(node, name, self._prefix + name, owner, block, body)
        if owner is not None:
            owner.methods.setdefault(name, function)
        for arg, default in function.defaults:
            scope.bind(Binding(arg.arg, How.PARAMETER, default, (), position(arg), body, arg))
        for extra in (arguments.vararg, arguments.kwarg):
            if extra is not None:
                scope.bind(Binding(extra.arg, How.OTHER, None, (), position(extra), body, extra))
        self.outline.functions.append(function)
        if function.takes_object:
            self.outline.object_names.add(function.parameters[0].arg)
        self.outline.function_of[node] = function
        self.outline.functions_around[body.number] = function
        return function

    def block(
        self,
        kind: BlockKind,
        node: ast.AST,
        parent: Block,
        scope: Scope,
        test: ast.expr | None = None,
        negated: bool = False,
        after_exit: bool = False,
    ) -> Block:
        """A new block inside another."""
        outline = self.outline
        block = Block(kind, node, parent, scope, test, negated, after_exit, len(outline.blocks))
        outline.blocks.append(block)
        opens = kind is BlockKind.LOOP or kind is BlockKind.FUNCTION
        outline.bodies.append(block if opens else outline.bodies[parent.number])
        outline.functions_around.append(outline.functions_around[parent.number])
        return block

    def bind(self, block: Block, name: str, how: How, value: ast.expr | None, node: ast.AST, at: Position) -> None:
        """Record that a statement gives a name a value."""
        block.scope.bind(Binding(name, how, value, (), at, block, node))

    def target(
        self,
        target: ast.expr,
        how: How,
        value: ast.expr,
        block: Block,
        statement: ast.stmt,
        at: Position,
        path: tuple[int, ...] = (),
    ) -> None:
        """Record what is assigned to, and walk the expressions in it."""
        if type(target) is Name:
            block.scope.bind(Binding(target.id, how, value, path, at, block, statement))
        elif isinstance(target, (ast.Tuple, ast.List)):
            starred = False
            for index, item in enumerate(target.elts):
                starred = starred or isinstance(item, ast.Starred)
                self.target(item, how, value, block, statement, at, (*path, -1 if starred else index))
        elif isinstance(target, ast.Starred):
            self.target(target.value, how, value, block, statement, at, path)
        elif isinstance(target, Attribute):
            self.expression(target.value, block, statement)
            self.outline.stores.setdefault(target.attr, []).append(Place(statement, block, statement))
            owner = self._object_class(target.value) if isinstance(target.value, Name) else None
            if owner is not None:
                binding = Binding(target.attr, how, value, path, at, block, statement)
                owner.attributes.setdefault(target.attr, []).append(binding)
        elif isinstance(target, ast.Subscript):
            self.expression(target.value, block, statement)
            self.expression(target.slice, block, statement)
            if not isinstance(target.slice, Constant):
                self.outline.subscripts.append(Place(target, block, statement))
            elif isinstance(target.slice.value, str):
                self.outline.stores.setdefault(target.slice.value, []).append(Place(statement, block, statement))
            self._fill(target.value, Place(value, block, statement))

    def _fill(self, container: ast.expr, put: Place, call: ast.Call | None = None) -> None:
        """Record what is put into a container: a variable, or an attribute of the object at hand."""
        if call is not None and len(call.args) != 1 + (last_name(call.func) == "insert"):
            return
        if type(container) is Name:
            self.outline.fillings.setdefault(container.id, []).append(put)
        elif type(container) is Attribute and type(container.value) is Name:
            owner = self._object_class(container.value)
            if owner is not None:
                owner.fillings.setdefault(container.attr, []).append(put)

    def _object_class(self, name: ast.Name) -> Class | None:
        """The class whose method, or a closure of it, calls its own object by a name, as in `self`."""
        method = self._function
        while method is not None and method.owner is None:
            method = self.outline.function_of.get(method.outside.scope.node)
        if method is None or not method.parameters or name.id != method.parameters[0].arg:
            return None
        return method.owner


def _is_text(node: ast.expr) -> bool:
    """Whether an expression is text that is written out, also as `"%s" * 2 + "%d"`."""
    for _ in range(_LONGEST):
        if not isinstance(node, ast.BinOp):
            break
        node = node.left
    return isinstance(node, ast.JoinedStr) or (isinstance(node, Constant) and isinstance(node.value, str))
