"""The one walk over a file's tree that makes its outline."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager

from trainlint.model.blocks import Binding, Block, BlockKind, Class, Function, How, Place, Scope
from trainlint.model.names import end_position, imported_names, last_name, position
from trainlint.model.outline import Outline

_EXITS = (ast.Continue, ast.Return, ast.Break, ast.Raise)
_FILLING = frozenset({"append", "add", "update", "extend"})
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)


def outline(tree: ast.Module) -> Outline:
    """Walk a parsed file once."""
    scope = Scope(tree, None)
    module = Block(BlockKind.MODULE, tree, None, scope)
    walk = _Walk(Outline(tree, module, blocks=[module]))
    walk.statements(tree.body, module)
    return walk.outline


def _leaves(statements: list[ast.stmt]) -> bool:
    """Whether a statement list always ends by leaving the enclosing block."""
    if not statements:
        return False
    last = statements[-1]
    if isinstance(last, _EXITS):
        return True
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        return last_name(last.value.func) in ("exit", "_exit", "abort")
    return isinstance(last, ast.If) and _leaves(last.body) and _leaves(last.orelse)


def _formats_text(node: ast.AST) -> bool:
    """Whether a node is `text % values`, with the text written out, also as `"%s" * 2 + "%d"`."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mod):
        return False
    left = node.left
    while isinstance(left, ast.BinOp):
        left = left.left
    return isinstance(left, ast.JoinedStr) or (isinstance(left, ast.Constant) and isinstance(left.value, str))


class _Walk:
    """The state of one walk."""

    def __init__(self, target: Outline) -> None:
        self.outline = target
        self._function: Function | None = None
        self._class: Class | None = None
        self._names: list[str] = []

    # statements

    def statements(self, body: list[ast.stmt], block: Block) -> None:
        for statement in body:
            self._statement(statement, block)
            if isinstance(statement, ast.If) and _leaves(statement.body) and not statement.orelse:
                block = self._block(
                    BlockKind.BRANCH, statement, block, block.scope, statement.test, negated=True, after_exit=True
                )

    def _statement(self, node: ast.stmt, block: Block) -> None:
        self.outline.block_of[node] = block
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is not None:
            method(node, block)
            return
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self._expression(child, block, node)

    def _functiondef(self, node: ast.FunctionDef | ast.AsyncFunctionDef, block: Block) -> None:
        for decorator in node.decorator_list:
            self._expression(decorator, block, node)
        self._bind(block, node.name, How.FUNCTION, None, node, position(node))
        function = self._enter_function(node, node.name, block, node)
        if node.returns is not None:
            self._expression(node.returns, block, node)
        with self._inside(function):
            self.statements(node.body, function.body)

    _asyncfunctiondef = _functiondef

    def _enter_function(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, name: str, block: Block, statement: ast.stmt
    ) -> Function:
        arguments = node.args
        for default in (*arguments.defaults, *(item for item in arguments.kw_defaults if item is not None)):
            self._expression(default, block, statement)
        scope = Scope(node, block.scope)
        body = self._block(BlockKind.FUNCTION, node, block, scope)
        owner = self._class if block.kind is BlockKind.CLASS else None
        qualified = ".".join((*self._names, name))
        function = Function(node, name, qualified, owner, block, body)
        if owner is not None:
            owner.methods.setdefault(name, function)
        defaults = dict(
            zip(reversed([*arguments.posonlyargs, *arguments.args]), reversed(arguments.defaults), strict=False)
        )
        defaults |= {
            arg: value for arg, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if value
        }
        for arg in function.parameters:
            scope.bind(Binding(arg.arg, How.PARAMETER, defaults.get(arg), (), position(arg), body, arg))
        for extra in (arguments.vararg, arguments.kwarg):
            if extra is not None:
                scope.bind(Binding(extra.arg, How.OTHER, None, (), position(extra), body, extra))
        self.outline.functions.append(function)
        self.outline.function_of[node] = function
        return function

    @contextmanager
    def _inside(self, function: Function) -> Iterator[None]:
        outer = self._function, self._class, self._names
        self._function, self._class = function, None
        self._names = [*self._names, function.name, "<locals>"]
        yield
        self._function, self._class, self._names = outer

    def _classdef(self, node: ast.ClassDef, block: Block) -> None:
        for child in (*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)):
            self._expression(child, block, node)
        self._bind(block, node.name, How.CLASS, None, node, position(node))
        cls = Class(node, node.name, block)
        self.outline.classes.setdefault(node.name, cls)
        body = self._block(BlockKind.CLASS, node, block, Scope(node, block.scope))
        outer = self._class, self._names
        self._class, self._names = cls, [*self._names, node.name]
        self.statements(node.body, body)
        self._class, self._names = outer
        for name, bindings in body.scope.bindings.items():
            values = [item for item in bindings if item.how is How.ASSIGN]
            if values:
                cls.attributes.setdefault(name, []).extend(values)

    def _if(self, node: ast.If, block: Block) -> None:
        while True:
            self.outline.block_of[node] = block
            self._read(node.test, block, node)
            self.statements(node.body, self._block(BlockKind.BRANCH, node, block, block.scope, node.test))
            if not node.orelse:
                return
            block = self._block(BlockKind.BRANCH, node, block, block.scope, node.test, negated=True)
            if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
                node = node.orelse[0]
            else:
                self.statements(node.orelse, block)
                return

    def _for(self, node: ast.For | ast.AsyncFor, block: Block) -> None:
        self._expression(node.iter, block, node)
        body = self._loop(node, block)
        self._target(node.target, How.FOR, node.iter, body, node, end_position(node.iter))
        self.outline.loops.append(Place(node, block, node))
        self.statements(node.body, body)
        self.statements(node.orelse, block)

    _asyncfor = _for

    def _while(self, node: ast.While, block: Block) -> None:
        body = self._loop(node, block)
        self._read(node.test, body, node)
        self.outline.loops.append(Place(node, block, node))
        self.statements(node.body, body)
        self.statements(node.orelse, block)

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While | ast.comprehension, block: Block) -> Block:
        body = self._block(BlockKind.LOOP, node, block, block.scope)
        self.outline.loop_blocks[node] = body
        return body

    def _with(self, node: ast.With | ast.AsyncWith, block: Block) -> None:
        body = self._block(BlockKind.WITH, node, block, block.scope)
        for item in node.items:
            self._expression(item.context_expr, block, node)
            if item.optional_vars is not None:
                self._target(
                    item.optional_vars, How.WITH, item.context_expr, body, node, end_position(item.context_expr)
                )
        self.statements(node.body, body)

    _asyncwith = _with

    def _try(self, node: ast.Try, block: Block) -> None:
        self.statements(node.body, block)
        for handler in node.handlers:
            if handler.type is not None:
                self._expression(handler.type, block, node)
            body = self._block(BlockKind.EXCEPT, handler, block, block.scope)
            if handler.name:
                self._bind(body, handler.name, How.OTHER, None, node, (handler.lineno, handler.col_offset))
            self.statements(handler.body, body)
        self.statements(node.orelse, block)
        self.statements(node.finalbody, block)

    _trystar = _try

    def _match(self, node: ast.Match, block: Block) -> None:
        self._expression(node.subject, block, node)
        for case in node.cases:
            body = self._block(BlockKind.BRANCH, node, block, block.scope)
            for part in ast.walk(case.pattern):
                name = getattr(part, "name", None) or getattr(part, "rest", None)
                if isinstance(name, str):
                    self._bind(body, name, How.OTHER, None, node, position(node.subject))
            if case.guard is not None:
                self._expression(case.guard, body, node)
            self.statements(case.body, body)

    def _assign(self, node: ast.Assign, block: Block) -> None:
        self._expression(node.value, block, node)
        for target in node.targets:
            self._target(target, How.ASSIGN, node.value, block, node, end_position(node))
        if len(node.targets) == 1 and isinstance(node.value, ast.BinOp) and isinstance(node.value.op, ast.Add):
            self.outline.accumulations.append(Place(node, block, node))

    def _annassign(self, node: ast.AnnAssign, block: Block) -> None:
        self._expression(node.annotation, block, node)
        if node.value is not None:
            self._expression(node.value, block, node)
            self._target(node.target, How.ASSIGN, node.value, block, node, end_position(node))

    def _augassign(self, node: ast.AugAssign, block: Block) -> None:
        self._expression(node.value, block, node)
        self._target(node.target, How.AUGMENT, node.value, block, node, end_position(node))
        if isinstance(node.op, ast.Add):
            self.outline.accumulations.append(Place(node, block, node))

    def _return(self, node: ast.Return, block: Block) -> None:
        if node.value is not None:
            self._expression(node.value, block, node)
        if self._function is not None:
            self._function.returns.append(Place(node, block, node))

    def _assert(self, node: ast.Assert, block: Block) -> None:
        self._read(node.test, block, node)
        if node.msg is not None:
            self._expression(
                node.msg, self._block(BlockKind.BRANCH, node, block, block.scope, node.test, negated=True), node
            )

    def _import(self, node: ast.Import | ast.ImportFrom, block: Block) -> None:
        self.outline.import_statements.append(Place(node, block, node))
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            self.outline.stars.append("." * node.level + (node.module or ""))
        for local, origin in imported_names(node):
            self.outline.imports.setdefault(local, origin)
            self._bind(block, local, How.IMPORT, None, node, position(node))

    _importfrom = _import

    def _global(self, node: ast.Global | ast.Nonlocal, block: Block) -> None:
        block.scope.foreign.update(node.names)

    _nonlocal = _global

    # blocks

    def _block(
        self,
        kind: BlockKind,
        node: ast.AST,
        parent: Block,
        scope: Scope,
        test: ast.expr | None = None,
        negated: bool = False,
        after_exit: bool = False,
    ) -> Block:
        block = Block(kind, node, parent, scope, test, negated, after_exit, len(self.outline.blocks))
        self.outline.blocks.append(block)
        return block

    # bindings

    def _bind(
        self,
        block: Block,
        name: str,
        how: How,
        value: ast.expr | None,
        node: ast.AST,
        at: tuple[int, int],
        path: tuple[int, ...] = (),
    ) -> None:
        block.scope.bind(Binding(name, how, value, path, at, block, node))

    def _target(
        self,
        target: ast.expr,
        how: How,
        value: ast.expr,
        block: Block,
        statement: ast.stmt,
        at: tuple[int, int],
        path: tuple[int, ...] = (),
    ) -> None:
        if isinstance(target, ast.Name):
            self._bind(block, target.id, how, value, statement, at, path)
        elif isinstance(target, ast.Tuple | ast.List):
            starred = False
            for index, item in enumerate(target.elts):
                starred = starred or isinstance(item, ast.Starred)
                self._target(item, how, value, block, statement, at, (*path, -1 if starred else index))
        elif isinstance(target, ast.Starred):
            self._target(target.value, how, value, block, statement, at, path)
        elif isinstance(target, ast.Attribute):
            self._expression(target.value, block, statement)
            self.outline.stores.setdefault(target.attr, []).append(Place(statement, block, statement))
            method = self._method()
            if method is not None and isinstance(target.value, ast.Name) and method.owner is not None:
                if method.parameters and target.value.id == method.parameters[0].arg:
                    binding = Binding(target.attr, how, value, path, at, block, statement)
                    method.owner.attributes.setdefault(target.attr, []).append(binding)
        elif isinstance(target, ast.Subscript):
            self._expression(target.value, block, statement)
            self._expression(target.slice, block, statement)
            if not isinstance(target.slice, ast.Constant):
                self.outline.subscripts.append(Place(target, block, statement))
            if isinstance(target.slice, ast.Constant) and isinstance(target.slice.value, str):
                self.outline.stores.setdefault(target.slice.value, []).append(Place(statement, block, statement))
            if isinstance(target.value, ast.Name):
                self.outline.fillings.setdefault(target.value.id, []).append(Place(value, block, statement))

    def _method(self) -> Function | None:
        """The method that encloses the current code, also from inside a closure of it."""
        function = self._function
        while function is not None and function.owner is None:
            scope = function.outside.scope
            function = self.outline.function_of.get(scope.node)
        return function

    # expressions

    def _read(self, test: ast.expr, block: Block, statement: ast.stmt) -> None:
        self.outline.reads.append(Place(test, block, statement))
        self._expression(test, block, statement)

    def _expression(self, root: ast.expr, block: Block, statement: ast.stmt) -> None:
        """Walk an expression with a stack of its own, since chains of operators can be thousands deep."""
        stack: list[tuple[ast.AST, Block]] = [(root, block)]
        found: list[tuple[str, Place]] = []
        while stack:
            node, block = stack.pop()
            if isinstance(node, ast.Name | ast.Attribute):
                self._name_chain(node, block, statement, stack)
            elif isinstance(node, ast.Call):
                found.append((last_name(node.func), Place(node, block, statement)))
                stack.append((node.func, block))
                stack.extend((child, block) for child in node.args)
                stack.extend((keyword.value, block) for keyword in node.keywords)
            elif isinstance(node, ast.Constant):
                continue
            elif isinstance(node, _COMPREHENSIONS):
                self._comprehension(node, block, statement, stack)
            elif isinstance(node, ast.Lambda):
                function = self._enter_function(node, "<lambda>", block, statement)
                function.returns.append(Place(ast.Return(node.body), function.body, statement))
                with self._inside(function):
                    self._expression(node.body, function.body, statement)
            elif isinstance(node, ast.IfExp):
                self.outline.reads.append(Place(node.test, block, statement))
                stack.append((node.test, block))
                stack.append((node.body, self._block(BlockKind.BRANCH, node, block, block.scope, node.test)))
                stack.append(
                    (node.orelse, self._block(BlockKind.BRANCH, node, block, block.scope, node.test, negated=True))
                )
            elif isinstance(node, ast.BoolOp):
                stack.append((node.values[0], block))
                rest = self._block(
                    BlockKind.BRANCH, node, block, block.scope, node.values[0], isinstance(node.op, ast.Or)
                )
                stack.extend((value, rest) for value in node.values[1:])
                asked = zip(node.values[:-1], [block, *[rest] * len(node.values)], strict=False)
                self.outline.reads.extend(
                    # `a or b` of names chooses between objects: nobody chooses between tensors so.
                    Place(value, where, statement)
                    for value, where in asked
                    if isinstance(value, ast.Compare | ast.Call)
                )
            elif isinstance(node, ast.NamedExpr):
                self._target(node.target, How.ASSIGN, node.value, block, statement, end_position(node))
                stack.append((node.value, block))
            else:
                if isinstance(node, ast.FormattedValue) or _formats_text(node):
                    self.outline.reads.append(Place(node, block, statement))
                elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
                    self.outline.reads.append(Place(node.operand, block, statement))
                elif isinstance(node, ast.Yield | ast.YieldFrom) and self._function is not None:
                    self._function.is_generator = True
                elif isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Constant):
                    self.outline.subscripts.append(Place(node, block, statement))
                elif isinstance(node, ast.Dict):
                    self._dict(node, Place(node, block, statement))
                stack.extend((child, block) for child in ast.iter_child_nodes(node))
        for name, place in reversed(found):
            self._record_call(name, place)
            call = place.node
            if name in _FILLING and isinstance(call, ast.Call) and len(call.args) == 1:
                if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
                    self.outline.fillings.setdefault(call.func.value.id, []).append(place)

    def _dict(self, node: ast.Dict, place: Place) -> None:
        for key in node.keys:
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                self.outline.dicts.setdefault(key.value, []).append(place)

    def _record_call(self, name: str, place: Place) -> None:
        self.outline.calls.setdefault(name, []).append(place)
        block: Block | None = place.block
        while block is not None and block.kind not in (BlockKind.LOOP, BlockKind.FUNCTION, BlockKind.MODULE):
            block = block.parent
        self.outline.calls_by_loop.setdefault(block, []).append(place)

    def _name_chain(
        self, node: ast.Name | ast.Attribute, block: Block, statement: ast.stmt, stack: list[tuple[ast.AST, Block]]
    ) -> None:
        root: ast.expr = node
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name):
            stack.append((root, block))
        elif root.id in self.outline.imports and isinstance(root.ctx, ast.Load):
            self.outline.references.append(Place(node, block, statement))

    def _comprehension(
        self,
        node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp,
        block: Block,
        statement: ast.stmt,
        stack: list[tuple[ast.AST, Block]],
    ) -> None:
        scope = Scope(node, block.scope)
        for generator in node.generators:
            stack.append((generator.iter, block))
            block = self._block(BlockKind.LOOP, generator, block, scope)
            self.outline.loop_blocks[generator] = block
            self._target(generator.target, How.FOR, generator.iter, block, statement, position(node))
            for test in generator.ifs:
                self.outline.reads.append(Place(test, block, statement))
                stack.append((test, block))
                block = self._block(BlockKind.BRANCH, generator, block, scope, test)
        if isinstance(node, ast.DictComp):
            stack.append((node.key, block))
            stack.append((node.value, block))
        else:
            stack.append((node.elt, block))
