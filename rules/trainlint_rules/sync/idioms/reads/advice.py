"""What to do instead of a read, by what becomes of the value."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from trainlint.analysis.conditions.values.tested_values import tensors_tested
from trainlint.analysis.effects.forward import computes
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import dotted, nodes_in, position, root_name
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.syntax.uses import enclosing_nodes
from trainlint.analysis.types.values import Origin
from trainlint.contract.declared_rule import as_written
from trainlint_rules.sync.idioms.reads.decisions import Decision, decision, decision_of
from trainlint_rules.sync.idioms.reads.nan_tests import asks_for_nan, instead_of_nan_test
from trainlint_rules.sync.idioms.reads.parameter_reads import instead_of_each
from trainlint_rules.sync.idioms.reads.value_uses import ValueUse, converted, use_of_value, uses_of

INSTEAD_OF_SIZE = (
    "take it from the batch before the copy to the GPU; if it is not in the batch, use the padded size, "
    "or read all sizes at once"
)
_MADE_OF_NUMBERS = "keep and use the Python numbers that this tensor is made of"
_SOLVED = "the solver runs on the CPU: concatenate its inputs and copy them once per step"
_LENGTHS = "take the lengths from the batch before the copy to the GPU"
_PRINTED = "print or log it every N steps"
_SHOWN = "update the bar every N steps: tqdm's `mininterval` delays the drawing, not the read"
_ASKED = (
    "call `{function}` every N steps, or sum on the GPU first: it takes numbers as they are, and reads what is a tensor"
)
_POSITION = "also keep it as a Python number in the object, and update both together"
_UNKNOWN_PURPOSE = "read it every N steps; if every step needs it, read it once for all uses"
_INDEX = "index all rows at once with an index tensor: `x[indices]` and `index_select` need no read on the CPU"
INSTEAD_OF_TEST = {
    Decision.CHECKS: "remove this check, or check on the GPU with `torch._assert_async`, which does not wait",
    Decision.SKIPS: "remove this check, or base it on a value that is already on the CPU, such as a batch count",
    Decision.ENDS: "check every N rounds, or base the check on a value that is already on the CPU",
    Decision.UPDATES: "base the check on a value already on the CPU, or multiply the loss by the mask on the GPU",
    Decision.FILLS: "remove this check: with an empty mask, the statement changes nothing",
    Decision.MARKS: "collect the results on the GPU, and read them once after the loop or every N steps",
    Decision.ASSIGNS: "choose on the GPU with `torch.where`, or check every N steps",
    Decision.BRANCHES: "base the check on a value that is already on the CPU, such as a size, or check every N steps",
}
"""Help for a test, by what it decides."""


_WHATEVER_IT_IS: Mapping[ValueUse, str] = {
    ValueUse.SIZE: INSTEAD_OF_SIZE,
    ValueUse.INDEX: _INDEX,
    ValueUse.LENGTHS: _LENGTHS,
    ValueUse.SOLVED: _SOLVED,
    ValueUse.BAR: _SHOWN,
    ValueUse.TEXT: _PRINTED,
}
"""Help that does not name the value."""


def instead_of_size(site: Site, tensor: ast.AST) -> str:
    """Help for a size or a bound that is read: what code fills with numbers is known without the GPU."""
    made = isinstance(tensor, ast.expr) and site.value(tensor).origin is Origin.FACTORY
    return _MADE_OF_NUMBERS if made else INSTEAD_OF_SIZE


def instead_of_number(site: Site, read: ast.AST) -> str:
    """Help for a read, by what the value is for."""
    tested = instead_of_test(site, read) or instead_of_each(site, read) or _asked_by_callers(site, read)
    if tested is not None:
        return tested
    kept = _detached_text(site, _read_value(read))
    becoming = use_of_value(site, read)
    if becoming in (ValueUse.SIZE, ValueUse.INDEX) and _is_own(_read_value(read)):
        return _POSITION
    if becoming in _WHATEVER_IT_IS:
        return _WHATEVER_IT_IS[becoming]
    match becoming:
        case ValueUse.ELEMENT:
            after = "after the loop" if _fills_list_of_step(site) else "after the epoch"
            return f"append {kept} and read the list once, {after}"
        case ValueUse.SUM:
            return f"add {kept}, and read the sum once, when you log"
        case ValueUse.RETURNED:
            return f"return {kept}, and read it only when you log"
        case ValueUse.ARGUMENT | ValueUse.ENTRY:
            return f"don't read it here: keep {kept}, and read all metrics when you log: `torch.stack(values).tolist()`"
    decided = _decided_later(site, read)
    if decided is not None:
        return INSTEAD_OF_TEST[decided]
    tensor = _read_value(read)
    value = as_written(site.text(tensor))
    if computes(site.file, site.block):
        return f"keep `{value}` a tensor: tensor arithmetic accepts it, and `.clamp(min=...)` replaces `max`"
    if site.file.backwards(site.block).is_part_of_loss(dotted(tensor) or ""):
        return f"keep {kept}, and read it only when you log"
    return _UNKNOWN_PURPOSE


def instead_of_test(site: Site, read: ast.AST) -> str | None:
    """Help for a read in a test, by what that decides; None for one that is in no test."""
    decided = decision(site, read)
    if asks_for_nan(site.file, read, site.statement):
        return instead_of_nan_test(site, decided if decided is not None else _decided_later(site, read))
    return instead_of_each(site, read) or INSTEAD_OF_TEST[decided] if decided is not None else None


def instead_of_text(site: Site, read: ast.AST) -> str:
    """Help for a value that becomes text."""
    return _SHOWN if use_of_value(site, read) is ValueUse.BAR else _PRINTED


def instead_of_copy(site: Site) -> str | None:
    """Help for a copy to the host; None where nothing special is known of what becomes of it."""
    if (asked := _asked_by_callers(site, site.node)) is not None:
        return asked
    value = as_written(site.text(site.receiver))
    match use_of_value(site, _outermost(site)):
        case ValueUse.SOLVED:
            return _SOLVED
        case ValueUse.LENGTHS:
            return _LENGTHS
        case ValueUse.BAR:
            return _SHOWN
        case ValueUse.TEXT:
            return _PRINTED
        case ValueUse.SIZE | ValueUse.INDEX:
            return INSTEAD_OF_SIZE
        case ValueUse.ARGUMENT | ValueUse.ENTRY:
            return f"keep `{value}` on the GPU and read it after the backward pass, or every N steps"
        case ValueUse.RETURNED:
            return f"return `{value}` as it is, and copy it only where the CPU needs it"
    return None


def _asked_by_callers(site: Site, read: ast.AST) -> str | None:
    """Help for a read of what a function was given, where that is a tensor: its callers decide."""
    function = site.function
    if function is None or not isinstance(read, ast.Call) or not isinstance(read.func, ast.Attribute):
        return None
    name = root_name(read.func.value)
    given = {item.arg for item in nodes_in(function.node.args) if isinstance(item, ast.arg)}
    sources = {name, *(root_name(bound.value) for bound in reaching(name, site.block, position(read)) if bound.value)}
    is_asked = any(root_name(test.value) == name for test in tensors_tested(site.block))
    return _ASKED.format(function=function.name) if is_asked and not given.isdisjoint(sources) else None


def _outermost(site: Site) -> ast.AST:
    """The chain of methods that a call begins: `cost.cpu().numpy()` for `cost.cpu()`."""
    node: ast.AST = site.node
    for outer in enclosing_nodes(site.file, site.node, site.statement):
        is_link = isinstance(outer, ast.Attribute) and outer.value is node
        is_call = isinstance(outer, ast.Call) and outer.func is node
        if not is_link and not is_call:
            break
        node = outer
    return node


def _read_value(read: ast.AST) -> ast.AST:
    """The tensor: `x` of `x.item()`, of `float(x)` and of `int(x.item())`."""
    match read:
        case ast.Call(func=ast.Attribute(value=value), args=[]):
            return value
        case ast.Call(func=ast.Name(), args=[value, *_]):
            return value
    return read


def _detached_text(site: Site, tensor: ast.AST) -> str:
    """How to keep a tensor without its graph: "`loss.detach()`"."""
    text = as_written(site.text(tensor))
    if text.endswith("…"):
        return "the detached tensor"
    if isinstance(tensor, ast.Call) and isinstance(tensor.func, ast.Attribute) and tensor.func.attr == "detach":
        return f"`{text}`"
    joined = isinstance(tensor, ast.BinOp | ast.UnaryOp | ast.Compare | ast.BoolOp | ast.IfExp | ast.Await)
    return f"`({text}).detach()`" if joined else f"`{text}.detach()`"


def _is_own(tensor: ast.AST) -> bool:
    """Whether a tensor is an attribute of the object, as a buffer is, or an element of one."""
    while isinstance(tensor, ast.Subscript):
        tensor = tensor.value
    return isinstance(tensor, ast.Attribute) and isinstance(tensor.value, ast.Name) and tensor.value.id == "self"


def _fills_list_of_step(site: Site) -> bool:
    """Whether the list that an element is appended to is made in the same training step."""
    match site.statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name) as owner))):
            made = reaching(name, site.block, position(owner))
            return bool(made) and all(site.file.heats.of(item.block).heat.in_step for item in made)
    return False


def _decided_later(site: Site, read: ast.AST) -> Decision | None:
    """What a test decides that asks for the read number by its name: `n = x.item()`, `if n == 0: return`."""
    for use, statement in uses_of(site, converted(site.file, read, site.statement)):
        inside_call = any(isinstance(outer, ast.Call) for outer in enclosing_nodes(site.file, use, statement))
        if position(statement) > position(site.statement) and not inside_call:
            found = decision_of(site.file, statement, use)
            if found is not None:
                return found
    return None
