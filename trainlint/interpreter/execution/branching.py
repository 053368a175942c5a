"""Statements that choose: `if`, `try`, `match`, `with`."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Final

from trainlint.interpreter import bounds
from trainlint.interpreter.branches.branch import Branch, Cold
from trainlint.interpreter.branches.comparisons import ValueOf
from trainlint.interpreter.execution.assignment import assign
from trainlint.interpreter.execution.tests import asked, narrow
from trainlint.interpreter.machine.events import Link
from trainlint.interpreter.machine.frame import Arguments, Frame, Heat, Round
from trainlint.interpreter.machine.run import Run
from trainlint.interpreter.text import text
from trainlint.interpreter.values.callables import FunctionValue, Object
from trainlint.interpreter.values.joining import is_cpu, join
from trainlint.interpreter.values.kinds import Stream, Tensor, is_none
from trainlint.interpreter.values.value import Environment

_TELLS: Final = re.compile(r"^print$|^(logger|logging|log|warnings)\.\w+$")
_REGISTERING: Final = frozenset({"register_buffer", "register_parameter", "setattr", "add_module", "register_module"})
"""What gives an object an attribute by name."""


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
    branch = _asked(run, node, frame)
    if branch.truth is not None:
        if branch.truth:
            narrow(node.test, frame, holds=True)
        return run.block(node.body if branch.truth else node.orelse, frame)
    heat = run.heat
    holds, fails = _heats(run, node, frame, branch)
    before, stepped = frame.names, run.stepped
    around, frame.round = frame.round, _round(frame, branch.holds)
    ended, first = _branch(run, node.body, frame, node.test, holds=True, heat=holds)
    frame.names, frame.round = before, around
    if _is_the_step(run, branch, heat, stepped=stepped):
        ended, first = _branch(run, node.body, frame, node.test, holds=True, heat=heat)
        frame.names = before
    frame.round = _round(frame, branch.fails)
    other_ended, second = _branch(run, node.orelse, frame, node.test, holds=False, heat=fails)
    frame.names, frame.round = before, around
    if ended == other_ended:
        _replace(before, _met(first, second, heat, holds, fails))
    else:
        _replace(before, second if ended else first)
    rest = fails if ended else holds
    run.heat = heat if ended == other_ended or (ended and _raises(node)) else rest
    if run.heat != heat:  # for the rest of the block
        frame.behind = _behind(node.test, frame, holds=not ended)
    return ended and other_ended


def _asked(run: Run, node: ast.If, frame: Frame) -> Branch:
    """What the test and what the branches do say of how often these run."""
    said, value_of = asked(run, node.test, frame)
    branch = _filling(node, frame, said)
    if not branch.holds and _only_tells(node) and _compares_tensors(node.test, value_of):
        return branch._replace(holds="rare", because=f"`{text(node.test)}` warns of rare data")
    return branch


def _only_tells(node: ast.If) -> bool:
    """Whether all that a branch does is to print or log."""
    calls = [inner.value for inner in node.body if isinstance(inner, ast.Expr) and isinstance(inner.value, ast.Call)]
    return len(calls) == len(node.body) and all(_TELLS.search(text(call.func)) for call in calls)


def _compares_tensors(test: ast.expr, value_of: ValueOf) -> bool:
    match test:
        case ast.Compare(left=left, ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()], comparators=[right]):
            return any(isinstance(value_of(side), Tensor) for side in (left, right))
    return False


def _round(frame: Frame, cold: Cold) -> Round:
    """What is repeated in a branch: what runs in some epochs only, runs seldom."""
    return "seldom" if cold == "rare" and frame.round == "epoch" else frame.round


def _met(first: Environment, second: Environment, heat: Heat, holds: Heat, fails: Heat) -> Environment:
    """The names after both branches: what an option that is off assigns gives way to what is default, unless that is
    None, since whatever uses it asks first, or the host as a device, since who trains turns on the GPU.
    """
    both = merged(first, second)
    if heat != "off" and holds != fails and "off" in (holds, fails):
        default = second if holds == "off" else first
        both.update((name, value) for name, value in default.items() if not (is_none(value) or is_cpu(value)))
    return both


def _heats(run: Run, node: ast.If, frame: Frame, branch: Branch) -> tuple[Heat, Heat]:
    """How often each branch runs, and what follows it."""
    leaves = isinstance(node.body[-1], (ast.Raise, *frame.leaving))
    holds, fails = run.cooled("rare" if leaves else branch.holds), run.cooled(branch.fails)
    if fails != "evaluation" and run.heat == "step" and run.stepped and _skips(node):
        fails = "rare"  # what follows the optimizer's step and is mostly skipped
    return holds, fails


def _is_the_step(run: Run, branch: Branch, heat: Heat, *, stepped: bool) -> bool:
    """Whether the branch that was executed takes the only step of the loop around.

    So it is where an agent learns every fourth step of its environment.
    """
    return branch.interval and bool(branch.holds) and heat == "step" and run.stepped and not stepped


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
    behind = frame.behind
    if heat != run.heat:
        frame.behind = _behind(test, frame, holds=holds)
    around, run.heat = run.heat, heat
    ended = run.block(body, frame)
    run.heat, frame.behind = around, behind
    return ended, frame.names


def _behind(test: ast.expr, frame: Frame, *, holds: bool) -> Link:
    return Link(frame.module.path, test.lineno, f"{'if' if holds else 'unless'} {text(test)}")


def _skips(node: ast.If) -> bool:
    return len(node.body) == 1 and isinstance(node.body[0], ast.Continue)


def _filling(node: ast.If, frame: Frame, branch: Branch) -> Branch:
    """A branch that fills what the test found missing or outdated, or resets the mark that it asked for, runs once."""
    if branch.truth is False or (branch.truth and not isinstance(node.test, ast.Compare)):
        return branch
    if not branch.holds and _fills(node.test, node.body, frame):
        return Branch(None, "rare", branch.fails, f"`{text(node.test)}` holds the first time only")
    if not branch.fails and _fills(negated(node.test), _otherwise(node, frame), frame):
        return Branch(None, branch.holds, "rare", f"`{text(node.test)}` fails the first time only")
    return branch


def _otherwise(node: ast.If, frame: Frame) -> Sequence[ast.stmt]:
    """What is executed where the test fails alone: the other branch, or what follows a branch that returns."""
    if node.orelse or not isinstance(node.body[-1], ast.Return) or node not in frame.block:
        return node.orelse
    start = frame.block.index(node) + 1
    return frame.block[start : start + bounds.FOLLOWING]


_NEGATED: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Eq: ast.NotEq,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
}


def negated(test: ast.expr) -> ast.expr:
    """The test that holds where another fails. It is made once, as is its text."""
    known: ast.expr | None = test.__dict__.get("trainlint_negated")
    if known is None:
        known = test.__dict__["trainlint_negated"] = _negated(test)
    return known


def _negated(test: ast.expr) -> ast.expr:
    match test:
        case ast.UnaryOp(op=ast.Not()):
            return test.operand
        case ast.BoolOp():
            operator = ast.Or() if isinstance(test.op, ast.And) else ast.And()
            return ast.copy_location(ast.BoolOp(operator, [negated(part) for part in test.values]), test)
        case ast.Compare(ops=[operator]) if type(operator) in _NEGATED:
            return ast.copy_location(ast.Compare(test.left, [_NEGATED[type(operator)]()], test.comparators), test)
    return ast.copy_location(ast.UnaryOp(ast.Not(), test), test)


def _fills(test: ast.expr, body: Sequence[ast.stmt], frame: Frame) -> bool:
    match test:
        case ast.BoolOp(op=ast.Or()):
            return all(_fills(part, body, frame) for part in test.values)
        case ast.BoolOp():
            return any(_fills(part, body, frame) for part in test.values)
        case ast.UnaryOp(op=ast.Not()):
            return _fills_one(test.operand, body, frame)
    return _fills_one(test, body, frame)


def _fills_one(test: ast.expr, body: Sequence[ast.stmt], frame: Frame) -> bool:
    match test:
        case ast.Call(func=ast.Name(id="hasattr"), args=[owner, ast.Constant(value=str(name))]):
            return f"{text(owner)}.{name}" in _targets(body) or _registers(body, name)
        case ast.Compare(left=ast.Name(id=name), ops=[ast.Is()]):
            return _fills_name(name, body, frame)
        case ast.Compare(left=ast.Attribute() as asked, ops=[ast.Is()]):
            return text(asked) in _targets(body) or text(asked) in _targets(_called(body, frame))
        case ast.Compare(ops=[ast.NotEq() | ast.Gt() | ast.GtE() | ast.Lt() | ast.LtE()]):
            targets = _targets([*body, *_called(body, frame)])
            return any(_holds_filled(side, targets) for side in (test.left, *test.comparators))
        case ast.Compare(ops=[ast.NotIn()], comparators=[container]):
            return _fills_container(body, text(container).partition(".keys")[0], frame)
        case ast.Attribute():
            return text(test) in _targets(
                [one for one in body if isinstance(getattr(one, "value", None), ast.Constant)]
            )
    return False


def _fills_name(name: str, body: Sequence[ast.stmt], frame: Frame) -> bool:
    """Whether a branch fills a global name, or one that outlives the loop around."""
    if name in frame.global_names:
        return name in _targets(body) or name in _targets(_called(body, frame))
    outlives = ast.Break in frame.leaving and name in frame.names and frame.names[name].maybe_none
    return outlives and name in _targets(body)


def _holds_filled(asked: ast.expr, targets: list[str]) -> bool:
    """Whether a test asks what a branch fills: an attribute, or a local name whose new value an attribute gets."""
    held = _held(asked)
    return held in targets and ("." in held or any(target.startswith("self.") for target in targets))


def _held(node: ast.expr) -> str:
    """What an expression asks of an object: `self.table` of `self.table.shape[0]`, `table` of `table.shape`."""
    while True:
        match node:
            case ast.Attribute(value=ast.Name(id="self")):
                return text(node)
            case ast.Name():
                return node.id
            case ast.Attribute() | ast.Subscript():
                node = node.value
            case ast.Call():
                node = node.func
            case _:
                return ""


def _called(body: Sequence[ast.stmt], frame: Frame) -> list[ast.stmt]:
    """The statements of the object's own methods, and of functions of the file, that a branch calls."""
    cls = frame.self_value.cls if isinstance(frame.self_value, Object) else None
    found: list[ast.stmt] = []
    for inner in body:
        match inner:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name))) if cls is not None:
                method = cls.find(name)
                found += method.function.body if isinstance(method, FunctionValue) else []
            case ast.Expr(value=ast.Call(func=ast.Name(id=name))):
                function = frame.module.names.get(name)
                walked = ast.walk(function.function.node) if isinstance(function, FunctionValue) else ()
                found += [inside for inside in walked if isinstance(inside, ast.stmt)]
    return found


def _targets(body: Sequence[ast.stmt]) -> list[str]:
    return [text(target) for inner in body if isinstance(inner, ast.Assign) for target in inner.targets]


def _fills_container(body: Sequence[ast.stmt], where: str, frame: Frame) -> bool:
    """Whether statements store an item in a container that outlives the function."""
    if where in frame.names and where not in frame.global_names and not frame.is_module:
        return False
    targets = [target for inner in body if isinstance(inner, ast.Assign) for target in inner.targets]
    return any(isinstance(target, ast.Subscript) and text(target.value) == where for target in targets)


def _registers(body: Sequence[ast.stmt], name: str) -> bool:
    """Whether statements register a buffer or parameter, or set an attribute, under a name."""
    calls = (inner.value for inner in body if isinstance(inner, ast.Expr) and isinstance(inner.value, ast.Call))
    return any(
        text(call.func).rpartition(".")[2] in _REGISTERING
        and any(isinstance(arg, ast.Constant) and arg.value == name for arg in call.args[:2])
        for call in calls
    )


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
