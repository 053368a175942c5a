"""Which training a profiler records: the loop under its `with`, whether it ends soon, and who steps the profiler."""

from __future__ import annotations

import ast

from trainlint.analysis.conditions.branches import is_tested
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, BlockKind
from trainlint.analysis.syntax.names import constant, last_name, nodes_in
from trainlint.analysis.syntax.reaching import single_value
from trainlint.analysis.syntax.uses import assigned_target
from trainlint.analysis.tables.iterables import counts_rounds, shortens
from trainlint.contract.guard import guard
from trainlint.finding import LoopKind

_FEW = 100
"""A literal number of rounds up to this is a sample of training, not all of it."""


def recorded_loop(site: Site) -> Block | None:
    """The training loop in the body of the `with` that a call opens."""
    training = (LoopKind.STEP, LoopKind.EPOCH)
    return next((loop for loop in _loops_inside(site) if site.file.heats.kind(loop) in training), None)


def describe_loop(site: Site, loop: Block) -> str:
    """A loop in words, as in "line 88: for batch in train_loader"."""
    match loop.node:
        case ast.For(target=target, iter=source) | ast.AsyncFor(target=target, iter=source) as node:
            names = site.text(target)
            bare = names[1:-1] if isinstance(target, ast.Tuple) and names.endswith(")") else names
            return f"line {node.lineno}: for {bare} in {site.text(source)}"
        case ast.While(test=test) as node:
            return f"line {node.lineno}: while {site.text(test)}"
    return "a comprehension"


@guard
def recorded_briefly(site: Site) -> bool:
    """The loop ends after a few rounds (`break`, `return`) or covers only a slice of the data."""
    around = (block for block in site.block.outwards() if block.kind is BlockKind.LOOP)
    return any(_is_bounded(loop) for loop in (*_loops_inside(site), *around))


@guard
def switched(site: Site) -> bool:
    """An argument, or a test around it, decides whether it records."""
    given = [item.value for item in site.call.keywords if item.arg == "enabled"] + site.call.args[:1]
    if any(constant(value) is not True for value in given):
        return True
    return is_tested(site.block)


def profiler_name(site: Site) -> str | None:
    """The plain name that a profiler is given by `with` or by an assignment."""
    statement = site.statement
    if isinstance(statement, ast.With):
        name = next((item.optional_vars for item in statement.items if item.context_expr is site.node), None)
    else:
        name = assigned_target(statement, site.call)
    return name.id if isinstance(name, ast.Name) else None


def is_stepped(site: Site, name: str) -> bool:
    """Whether `step` of a profiler is called by its name."""
    return "step" in _asked_of(_root(site), name)


@guard
def handed_on(site: Site) -> bool:
    """The profiler is handed to other code, which may step it."""
    name, root = profiler_name(site), _root(site)
    if name is None:
        return False
    is_shared = any(isinstance(node, ast.Global | ast.Nonlocal) and name in node.names for node in nodes_in(root))
    return (site.function is not None and is_shared) or None in _asked_of(root, name)


def _root(site: Site) -> ast.AST:
    return site.function.node if site.function is not None else site.file.tree


def _asked_of(root: ast.AST, name: str) -> set[str | None]:
    """The attributes that a name is asked for; None stands for uses that ask for none, such as a second assignment."""
    attributes = {node.value: node.attr for node in nodes_in(root) if isinstance(node, ast.Attribute)}
    uses = [node for node in nodes_in(root) if isinstance(node, ast.Name) and node.id == name]
    asked = {attributes.get(node) for node in uses if isinstance(node.ctx, ast.Load)}
    return asked if sum(isinstance(node.ctx, ast.Store) for node in uses) < 2 else {*asked, None}


def _loops_inside(site: Site) -> list[Block]:
    """The loops in the body of the `with` that a call opens, in the order of the text."""
    statement = site.statement
    if not isinstance(statement, ast.With) or all(item.context_expr is not site.node for item in statement.items):
        return []
    loops = sorted(site.file.outline.loop_blocks.items(), key=lambda found: getattr(found[0], "lineno", 0))
    return [block for _, block in loops if any(_is_body_of(around, statement) for around in block.outwards())]


def _is_body_of(block: Block, statement: ast.With) -> bool:
    return block.kind is BlockKind.WITH and block.node is statement


def _is_bounded(block: Block) -> bool:
    loop = block.node
    if not isinstance(loop, ast.For | ast.AsyncFor | ast.While):
        return False
    if any(isinstance(node, ast.Break | ast.Return) for node in nodes_in(loop)):
        return True
    if isinstance(loop, ast.While):
        return False
    if any(isinstance(node, ast.Call) and shortens(last_name(node.func)) for node in nodes_in(loop.iter)):
        return True
    if isinstance(loop.iter, ast.Call) and counts_rounds(last_name(loop.iter.func)) and loop.iter.args:
        limit = loop.iter.args[0 if len(loop.iter.args) == 1 else 1]
        rounds = constant(single_value(limit, block) or limit)
        return isinstance(rounds, int) and rounds <= _FEW
    return False
