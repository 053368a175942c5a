"""The one walk over a file's tree that makes its outline. Expressions are left to `ExpressionWalk`."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable

from trainlint.analysis.syntax.blocks import Block, BlockKind, Class, How, Place, Scope
from trainlint.analysis.syntax.expressions import ExpressionWalk
from trainlint.analysis.syntax.names import end_position, imported_names, last_name, position
from trainlint.analysis.syntax.nested_exits import way_on
from trainlint.analysis.syntax.outline import Outline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

_EXITS = (ast.Continue, ast.Return, ast.Break, ast.Raise)


def outline(tree: ast.Module) -> Outline:
    """Walk a parsed file once."""
    scope = Scope(tree, None)
    module = Block(BlockKind.MODULE, tree, None, scope)
    walk = _Walk(Outline(tree, module))
    walk.statements(tree.body, module)
    return walk.outline


def _leaves(statements: list[ast.stmt]) -> bool:
    """Whether a statement list always ends by leaving the enclosing block."""
    while statements:
        last = statements[-1]
        if isinstance(last, _EXITS):
            return True
        if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
            return last_name(last.value.func) in ("exit", "_exit", "abort")
        if not isinstance(last, ast.If) or not last.orelse or not _leaves(last.body):
            return False
        statements = last.orelse
    return False


class _Walk(ExpressionWalk):
    """The state of one walk, and its way through statements."""

    def statements(self, body: list[ast.stmt], block: Block) -> None:
        block_of, of_type = self.outline.block_of, self._of_type
        for statement in body:
            block_of[statement] = block
            visit = of_type.get(type(statement))
            if visit is not None:
                visit(self, statement, block)
            else:
                for child in ast.iter_child_nodes(statement):
                    if isinstance(child, ast.expr):
                        self.expression(child, block, statement)
            if type(statement) is ast.If:
                if not statement.orelse and _leaves(statement.body):
                    block = self.block(
                        BlockKind.BRANCH, statement, block, block.scope, statement.test, negated=True, after_exit=True
                    )
                elif statement is not body[-1] and (test := way_on(statement)) is not None:
                    block = self.block(BlockKind.BRANCH, statement, block, block.scope, test, after_exit=True)

    def _expr(self, node: ast.Expr, block: Block) -> None:
        self.expression(node.value, block, node)

    def _functiondef(self, node: ast.FunctionDef | ast.AsyncFunctionDef, block: Block) -> None:
        for decorator in node.decorator_list:
            self.expression(decorator, block, node)
        self.bind(block, node.name, How.FUNCTION, None, node, position(node))
        function = self.define(node, node.name, block, node)
        if node.returns is not None:
            self.expression(node.returns, block, node)
        outer = self.enter(function)
        self.statements(node.body, function.body)
        self.leave(outer)

    def _classdef(self, node: ast.ClassDef, block: Block) -> None:
        for child in (*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)):
            self.expression(child, block, node)
        self.bind(block, node.name, How.CLASS, None, node, position(node))
        cls = Class(node, node.name, block)
        self.outline.classes.setdefault(node.name, cls)
        body = self.block(BlockKind.CLASS, node, block, Scope(node, block.scope))
        outer = self._class, self._prefix
        self._class, self._prefix = cls, f"{self._prefix}{node.name}."
        self.statements(node.body, body)
        self._class, self._prefix = outer
        for name, bindings in body.scope.bindings.items():
            values = [item for item in bindings if item.how is How.ASSIGN]
            if values:
                cls.attributes.setdefault(name, []).extend(values)

    def _if(self, node: ast.If, block: Block) -> None:
        while True:
            self.outline.block_of[node] = block
            self.read(node.test, block, node)
            self.statements(node.body, self.block(BlockKind.BRANCH, node, block, block.scope, node.test))
            if not node.orelse:
                return
            block = self.block(BlockKind.BRANCH, node, block, block.scope, node.test, negated=True)
            if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
                node = node.orelse[0]
            else:
                self.statements(node.orelse, block)
                return

    def _for(self, node: ast.For | ast.AsyncFor, block: Block) -> None:
        self.expression(node.iter, block, node)
        body = self._loop(node, block)
        self.target(node.target, How.FOR, node.iter, body, node, end_position(node.iter))
        self.outline.loops.append(Place(node, block, node))
        self.statements(node.body, body)
        self.statements(node.orelse, block)

    def _while(self, node: ast.While, block: Block) -> None:
        body = self._loop(node, block)
        self.read(node.test, body, node)
        self.outline.loops.append(Place(node, block, node))
        self.statements(node.body, body)
        self.statements(node.orelse, block)

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, block: Block) -> Block:
        body = self.block(BlockKind.LOOP, node, block, block.scope)
        self.outline.loop_blocks[node] = body
        return body

    def _with(self, node: ast.With | ast.AsyncWith, block: Block) -> None:
        body = self.block(BlockKind.WITH, node, block, block.scope)
        for item in node.items:
            self.expression(item.context_expr, block, node)
            if item.optional_vars is not None:
                at = end_position(item.context_expr)
                self.target(item.optional_vars, How.WITH, item.context_expr, body, node, at)
        self.statements(node.body, body)

    def _try(self, node: ast.Try, block: Block) -> None:
        self.statements(node.body, block)
        for handler in node.handlers:
            if handler.type is not None:
                self.expression(handler.type, block, node)
            body = self.block(BlockKind.EXCEPT, handler, block, block.scope)
            if handler.name:
                self.bind(body, handler.name, How.OTHER, None, node, (handler.lineno, handler.col_offset))
            self.statements(handler.body, body)
        self.statements(node.orelse, block)
        self.statements(node.finalbody, block)

    def _match(self, node: ast.Match, block: Block) -> None:
        self.expression(node.subject, block, node)
        for case in node.cases:
            body = self.block(BlockKind.BRANCH, node, block, block.scope)
            for part in ast.walk(case.pattern):
                name = getattr(part, "name", None) or getattr(part, "rest", None)
                if isinstance(name, str):
                    self.bind(body, name, How.OTHER, None, node, position(node.subject))
            if case.guard is not None:
                self.expression(case.guard, body, node)
            self.statements(case.body, body)

    def _assign(self, node: ast.Assign, block: Block) -> None:
        self.expression(node.value, block, node)
        at = end_position(node)
        for target in node.targets:
            self.target(target, How.ASSIGN, node.value, block, node, at)
        if len(node.targets) == 1 and isinstance(node.value, ast.BinOp) and isinstance(node.value.op, ast.Add):
            self.outline.accumulations.append(Place(node, block, node))

    def _annassign(self, node: ast.AnnAssign, block: Block) -> None:
        self.expression(node.annotation, block, node)
        if node.value is not None:
            self.expression(node.value, block, node)
            self.target(node.target, How.ASSIGN, node.value, block, node, end_position(node))

    def _augassign(self, node: ast.AugAssign, block: Block) -> None:
        self.expression(node.value, block, node)
        self.target(node.target, How.AUGMENT, node.value, block, node, end_position(node))
        if isinstance(node.op, ast.Add):
            self.outline.accumulations.append(Place(node, block, node))

    def _return(self, node: ast.Return, block: Block) -> None:
        if node.value is not None:
            self.expression(node.value, block, node)
        if self._function is not None:
            self._function.returns.append(Place(node, block, node))

    def _assert(self, node: ast.Assert, block: Block) -> None:
        self.read(node.test, block, node)
        if node.msg is not None:
            failed = self.block(BlockKind.BRANCH, node, block, block.scope, node.test, negated=True)
            self.expression(node.msg, failed, node)

    def _import(self, node: ast.Import | ast.ImportFrom, block: Block) -> None:
        self.outline.import_statements.append(Place(node, block, node))
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            self.outline.stars.append("." * node.level + (node.module or ""))
        for local, origin in imported_names(node):
            self.outline.imports.setdefault(local, origin)
            self.bind(block, local, How.IMPORT, None, node, position(node))

    def _global(self, node: ast.Global | ast.Nonlocal, block: Block) -> None:
        block.scope.foreign |= frozenset(node.names)

    _of_type: ClassVar[dict[type, Callable[[_Walk, Any, Block], None]]] = {
        ast.Expr: _expr,
        ast.FunctionDef: _functiondef,
        ast.AsyncFunctionDef: _functiondef,
        ast.ClassDef: _classdef,
        ast.If: _if,
        ast.For: _for,
        ast.AsyncFor: _for,
        ast.While: _while,
        ast.With: _with,
        ast.AsyncWith: _with,
        ast.Try: _try,
        ast.Match: _match,
        ast.Assign: _assign,
        ast.AnnAssign: _annassign,
        ast.AugAssign: _augassign,
        ast.Return: _return,
        ast.Assert: _assert,
        ast.Import: _import,
        ast.ImportFrom: _import,
        ast.Global: _global,
        ast.Nonlocal: _global,
    }
    """What is done for each type of statement. Of others, only the expressions in them are seen."""
    if sys.version_info >= (3, 11):
        _of_type[ast.TryStar] = _try
