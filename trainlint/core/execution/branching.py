"""Statements that choose: `if`, `try`, `match`, `with`."""

from __future__ import annotations

import ast

from trainlint.core.branches.branch import Branch
from trainlint.core.execution.assignment import assign
from trainlint.core.execution.tests import narrow, truth
from trainlint.core.machine.run import Arguments, Frame, Heat, Run
from trainlint.core.text import text
from trainlint.core.values.joining import join
from trainlint.core.values.kinds import Object, Stream
from trainlint.core.values.value import Environment


def merged(one: Environment, other: Environment) -> Environment:
    """The names after two ways have met."""
    result = dict(one)
    for name, value in other.items():
        known = result.get(name)
        if known is None:
            result[name] = value
        elif known is not value:
            result[name] = join(known, value)
    return result


def if_(run: Run, node: ast.If, frame: Frame) -> bool:
    """Execute both branches, or the one that is known to run, each as often as the test says."""
    branch = _filling(node, frame, truth(run, node.test, frame))
    if branch.truth is not None:
        if branch.truth:
            narrow(node.test, frame, holds=True)
        return run.block(node.body if branch.truth else node.orelse, frame)
    heat = run.heat
    holds, fails = _heats(run, node, branch)
    before = frame.names
    ended, first = _branch(run, node.body, frame, node.test, holds=True, heat=holds)
    frame.names = before
    other_ended, second = _branch(run, node.orelse, frame, node.test, holds=False, heat=fails)
    run.heat = heat
    frame.names = before
    _replace(before, merged(first, second) if ended == other_ended else second if ended else first)
    if ended != other_ended and not (ended and _raises(node)):
        run.heat = fails if ended else holds  # for the rest of the block
    return ended and other_ended


def _heats(run: Run, node: ast.If, branch: Branch) -> tuple[Heat, Heat]:
    """How often each branch runs."""
    holds, fails = run.cooled("rare" if _raises(node) else branch.holds), run.cooled(branch.fails)
    if fails != "evaluation" and run.heat == "step" and run.stepped and _skips(node):
        fails = "rare"  # what follows the optimizer's step and is mostly skipped
    return holds, fails


def _raises(node: ast.If) -> bool:
    return isinstance(node.body[-1], ast.Raise)


def _replace(names: Environment, by: Environment) -> None:
    """Fill an environment anew in place, since functions defined in it hold it."""
    names.clear()
    names.update(by)


def _branch(
    run: Run, body: list[ast.stmt], frame: Frame, test: ast.expr, *, holds: bool, heat: Heat
) -> tuple[bool, Environment]:
    """Execute one branch in a copy of the names. Returns whether it ends the block, and its names."""
    run.spend(frame, len(frame.names))
    frame.names = dict(frame.names)
    narrow(test, frame, holds=holds)
    run.heat = heat
    ended = run.block(body, frame)
    return ended, frame.names


def _skips(node: ast.If) -> bool:
    return len(node.body) == 1 and isinstance(node.body[0], ast.Continue)


def _filling(node: ast.If, frame: Frame, branch: Branch) -> Branch:
    """A branch that fills what the test found missing, or resets the mark that it asked for, runs once."""
    if branch.holds or branch.truth is not None:
        return branch
    if _fills(node, frame):
        return Branch(None, "rare", branch.fails, f"`{text(node.test)}` holds the first time only")
    return branch


def _fills(node: ast.If, frame: Frame) -> bool:
    test = node.test.operand if isinstance(node.test, ast.UnaryOp) else node.test
    match test:
        case ast.Call(func=ast.Name(id="hasattr"), args=[owner, ast.Constant(value=str(name))]):
            return f"{text(owner)}.{name}" in _targets(node.body)
        case ast.Compare(left=ast.Attribute() as asked, ops=[ast.Is()]):
            return text(asked) in _targets(node.body)
        case ast.Compare(ops=[ast.NotIn()], comparators=[container]):
            where = text(container).partition(".keys")[0]
            return not _is_local(where, frame) and where in _targets(node.body, of_items=True)
        case ast.Attribute():
            return text(test) in _targets(node.body, constant=True)
    return False


def _is_local(name: str, frame: Frame) -> bool:
    return name in frame.names and name not in frame.global_names and not frame.is_module


def _targets(body: list[ast.stmt], *, of_items: bool = False, constant: bool = False) -> set[str]:
    """What the assignments of a body fill, as texts: the containers whose items are set (`of_items`), or all targets.

    `constant`: only by assignments of constants.
    """
    assigned = [inner for inner in body if isinstance(inner, ast.Assign)]
    targets = [
        target
        for inner in assigned
        if isinstance(inner.value, ast.Constant) or not constant
        for target in inner.targets
    ]
    if of_items:
        return {text(target.value) for target in targets if isinstance(target, ast.Subscript)}
    return {text(target) for target in targets}


def try_(run: Run, node: ast.Try, frame: Frame) -> bool:
    """The body always, the handlers now and then."""
    run.spend(frame, len(frame.names))
    before = dict(frame.names)
    ended = run.block(node.body, frame)
    names = frame.names
    if not _imports(node.body):
        heat = run.heat
        run.heat = run.cooled("rare")
        for handler in node.handlers:
            run.spend(frame, len(names))
            frame.names = merged(before, names)
            if not run.block(handler.body, frame) and not ended:
                names.update(merged(names, frame.names))
        run.heat = heat
    frame.names = names
    if not ended:
        ended = run.block(node.orelse, frame)
    return run.block(node.finalbody, frame) or ended


def _imports(body: list[ast.stmt]) -> bool:
    """Whether a body tries an import, whose handlers are for another installation."""
    return any(isinstance(inner, ast.Import | ast.ImportFrom) for inner in body) and all(
        isinstance(inner, ast.Import | ast.ImportFrom | ast.Assign | ast.Expr) for inner in body
    )


def match_(run: Run, node: ast.Match, frame: Frame) -> bool:
    """Each case in the names before."""
    run.value(node.subject, frame)
    before = frame.names
    after: Environment | None = None
    for case in node.cases:
        run.spend(frame, len(before))
        frame.names = dict(before)
        if not run.block(case.body, frame):
            after = frame.names if after is None else merged(after, frame.names)
    frame.names = before
    if after is not None:
        before.update(merged(before, after))
    return False


def with_(run: Run, node: ast.With | ast.AsyncWith, frame: Frame) -> bool:
    """Enter and leave objects of the project; take what a generator yields."""
    for item in node.items:
        value = run.value(item.context_expr, frame)
        if isinstance(value, Object) and value.cls.find("__enter__") is not None:
            entered = run.call(run.attribute(value, "__enter__", node, frame), Arguments(), node, frame)
            run.call(run.attribute(value, "__exit__", node, frame), Arguments(), node, frame)
            value = entered
        elif isinstance(value, Stream):
            value = value.item
        if item.optional_vars is not None:
            assign(run, item.optional_vars, value, frame)
    return run.block(node.body, frame)
