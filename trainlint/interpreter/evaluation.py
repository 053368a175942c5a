"""Run a project: put the parts of the run together, execute all modules, then the entries."""

from __future__ import annotations

import ast
from typing import Final

from trainlint.interpreter.calls.dispatch import call, call_expression
from trainlint.interpreter.entries import run_entries
from trainlint.interpreter.execution import branching, definitions, expressions, loops, names, statements, subscripts
from trainlint.interpreter.execution.attributes import attribute, attribute_expression
from trainlint.interpreter.execution.iteration import items
from trainlint.interpreter.machine.events import Listener
from trainlint.interpreter.machine.run import Parts, Run, Watch
from trainlint.interpreter.project.modules import Project

PARTS: Final = Parts(
    statements={
        ast.Expr: statements.expression,
        ast.Return: statements.return_,
        ast.Raise: statements.raise_,
        ast.Continue: statements.leave,
        ast.Break: statements.leave,
        ast.Global: statements.global_,
        ast.Assert: statements.assert_,
        ast.Assign: statements.assignment,
        ast.AnnAssign: statements.annotated_assignment,
        ast.AugAssign: statements.augmented_assignment,
        ast.If: branching.if_,
        ast.Try: branching.try_,
        ast.Match: branching.match_,
        ast.With: branching.with_,
        ast.AsyncWith: branching.with_,
        ast.For: loops.for_,
        ast.AsyncFor: loops.for_,
        ast.While: loops.while_,
        ast.FunctionDef: definitions.function,
        ast.AsyncFunctionDef: definitions.function,
        ast.ClassDef: definitions.class_,
        ast.Import: definitions.import_,
        ast.ImportFrom: definitions.import_from,
    },
    expressions={
        ast.Constant: expressions.constant,
        ast.Name: names.name,
        ast.Attribute: attribute_expression,
        ast.Subscript: subscripts.subscript,
        ast.Slice: subscripts.slice_,
        ast.Call: call_expression,
        ast.Tuple: expressions.sequence,
        ast.List: expressions.sequence,
        ast.Set: expressions.set_,
        ast.Dict: expressions.mapping,
        ast.Starred: expressions.inner,
        ast.Await: expressions.inner,
        ast.NamedExpr: expressions.named,
        ast.Lambda: expressions.lambda_,
        ast.IfExp: expressions.choice,
        ast.BoolOp: expressions.and_or,
        ast.UnaryOp: expressions.unary,
        ast.BinOp: expressions.binary,
        ast.Compare: expressions.compare,
        ast.JoinedStr: expressions.formatted,
        ast.ListComp: expressions.list_comprehension,
        ast.SetComp: expressions.list_comprehension,
        ast.GeneratorExp: expressions.list_comprehension,
        ast.DictComp: expressions.dict_comprehension,
        ast.Yield: expressions.yield_,
        ast.YieldFrom: expressions.yield_from,
    },
    call=call,
    attribute=attribute,
    items=items,
    execute_module=definitions.execute_module,
)


def run_project(project: Project, listener: Listener, watch: Watch | None = None) -> Run:
    """Execute a project abstractly. Whatever waits or copies in a training step is told to the listener.

    `watch` is told of each statement before it is executed. What a limit has kept from being executed is named in
    `left_out` of the run that is returned.
    """
    run = Run(project, PARTS, listener, watch)
    for module in project.modules.values():
        run.execute_module(module)
    run_entries(run)
    return run
