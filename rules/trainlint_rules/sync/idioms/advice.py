"""What to do instead of a read of the device, by what its statement does with the value."""

from __future__ import annotations

import ast

from trainlint.analysis.effects.parameter_loops import parameter_loop
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name, nodes_in
from trainlint.analysis.syntax.uses import enclosing_nodes
from trainlint.contract.declared_rule import as_written

INSTEAD_OF_SIZE = (
    "take it from the batch before the copy to the GPU; if it is not in the batch, use the padded size, "
    "or read all sizes at once"
)
_UNKNOWN_PURPOSE = "read it every N steps; if every step needs it, read it once for all uses"
_PRINTED = "print or log it every N steps"
_INDEX = "index all rows at once with an index tensor: `x[indices]` and `index_select` need no read on the CPU"
_CHECKS = "remove this check, or check on the GPU with `torch._assert_async`, which does not wait"
_LEAVES = "test a value that the CPU has, such as a count made in the collate function, or test every N steps"
_UPDATES = "base the check on a value already on the CPU, or multiply the loss by the mask on the GPU"
_CHOOSES = "choose on the GPU with `torch.where`, or check every N steps"
_SHOWN = "update the bar every N steps: tqdm's `mininterval` delays the drawing, not the read"
_NAN_CHECKED = "write `{rarely}`: NaN weights stay NaN, so the error only comes later"
_NAN_MENDED = "write `x = torch.where(x.isfinite(), x, 0.0)` without a test: finite values stay as they are"
_NAN = (
    "remove the test: `GradScaler` skips such steps, and `p.grad.nan_to_num_(0.0, 0.0, 0.0)` zeroes bad gradients, but "
    "momentum and weight decay still move the weights"
)
_EACH = "this waits once for each parameter: keep the numbers on the GPU and read one result"
_NORMS = f"{_EACH}; `clip_grad_norm_` returns the norm of all gradients"
_NAN_TESTS = frozenset({"isnan", "isinf", "isfinite"})
_BAR_SETTERS = frozenset({"set_postfix", "set_postfix_str", "set_description", "set_description_str"})
"""What tqdm's bars have, and little else."""
_PRINTING = frozenset("print info warning error debug critical write format log add_scalar".split())
_TAKING_SIZES = frozenset("range arange view reshape expand repeat pad_sequence".split())
_UPDATING = frozenset({"step", "backward", "zero_grad"})


def instead_of_number(site: Site) -> str:
    """Help for a read of one number or truth value."""
    known = _shown_by_bar(site) or _tested(site) or _in_loop_over_parameters(site)
    return known or _by_taker(site) or _by_statement(site) or _UNKNOWN_PURPOSE


def _by_taker(site: Site) -> str | None:
    """Help by what takes the number."""
    match _taker(site):
        case ast.FormattedValue() | ast.JoinedStr():
            return _PRINTED
        case ast.Subscript():
            return _INDEX
        case ast.Slice():
            return INSTEAD_OF_SIZE
        case ast.Dict():
            return _for_metrics(site)
        case ast.Call() as call:
            return _by_function(site, last_name(call.func))
    return None


def _by_function(site: Site, name: str) -> str | None:
    if name in _PRINTING:
        return _PRINTED
    if name in _TAKING_SIZES:
        return INSTEAD_OF_SIZE
    if not isinstance(site.statement, ast.Expr):
        return None
    return f"append {_kept(site)} and read the list once, after the epoch" if name == "append" else _for_metrics(site)


def _by_statement(site: Site) -> str | None:
    match site.statement:
        case ast.AugAssign(op=ast.Add()):
            return f"add {_kept(site)}, and read the sum once, when you log"
        case ast.Assign(targets=[ast.Subscript(slice=ast.Constant(value=str()) | ast.JoinedStr())]):
            return _for_metrics(site)
        case ast.Return():
            return f"return {_kept(site)}, and read it only when you log"
    return None


def instead_of_copy(site: Site) -> str | None:
    """Help for a copy to the host; None where nothing special is known of what becomes of it."""
    known = _shown_by_bar(site)
    if known is not None:
        return known
    value = as_written(site.text(site.receiver))
    match _taker(site):
        case ast.FormattedValue() | ast.JoinedStr():
            return _PRINTED
        case ast.Call() as call if last_name(call.func) in _PRINTING:
            return _PRINTED
        case ast.Call() | ast.Dict() if isinstance(site.statement, ast.Expr | ast.Assign):
            return f"keep `{value}` on the GPU and read it after the backward pass, or every N steps"
    if isinstance(site.statement, ast.Return):
        return f"return `{value}` as it is, and copy it only where the CPU needs it"
    return None


def _for_metrics(site: Site) -> str:
    return f"don't read it here: keep {_kept(site)}, and read all metrics when you log: `torch.stack(values).tolist()`"


def _taker(site: Site) -> ast.AST | None:
    """What takes the value: a call, a text, an index, a size or a dict of the same statement."""
    inner: ast.AST = site.node
    for outer in enclosing_nodes(site.file, site.node, site.statement):
        match outer:
            case ast.FormattedValue() | ast.JoinedStr() | ast.Slice() | ast.Dict():
                return outer
            case ast.Subscript() if inner is outer.slice:
                return outer
            case ast.Call(func=ast.Name(id="int" | "float" | "bool" | "round")):
                pass  # the same value in another type
            case ast.Call() if inner is not outer.func:
                return outer
        inner = outer
    return None


def _tested(site: Site) -> str | None:
    """Help by what the test decides that the read stands in; None where it stands in none."""
    statement = site.statement
    if not isinstance(statement, ast.If | ast.While | ast.Assert) or site.node not in nodes_in(statement.test):
        return None
    for_nan = _has_call(statement.test, _NAN_TESTS)
    if isinstance(statement, ast.Assert) or any(
        isinstance(part, ast.Raise) for part in ast.iter_child_nodes(statement)
    ):
        return _NAN_CHECKED.format(rarely=_every_100_steps(site, statement)) if for_nan else _CHECKS
    assigns = all(isinstance(item, ast.Assign | ast.AugAssign) for item in statement.body)
    if for_nan:
        return _NAN_MENDED if assigns else _NAN
    if isinstance(statement.body[-1], ast.Break | ast.Continue | ast.Return):
        return _LEAVES
    return _UPDATES if _has_call(statement, _UPDATING) else _CHOOSES if assigns else _LEAVES


def _every_100_steps(site: Site, statement: ast.If | ast.While | ast.Assert) -> str:
    """The header of a test that runs in each hundredth step, in code."""
    test = as_written(site.text(statement.test))
    is_loose = isinstance(statement.test, ast.BoolOp | ast.IfExp | ast.NamedExpr | ast.Lambda)
    test = "..." if test.endswith("…") else f"({test})" if is_loose else test
    if isinstance(statement, ast.Assert):
        return f"assert step % 100 or {test}"
    return f"if step % 100 == 0 and {test}:"


def _has_call(node: ast.AST, names: frozenset[str]) -> bool:
    return any(isinstance(part, ast.Call) and last_name(part.func) in names for part in nodes_in(node))


def _in_loop_over_parameters(site: Site) -> str | None:
    """Help for a read in a loop over parameters; None for any other."""
    loop = parameter_loop(site.file.outline, site.block, by_name=True)
    if loop is None or loop.of_states:
        return None
    names = {part.attr for part in nodes_in(site.statement) if isinstance(part, ast.Attribute)}
    return _NORMS if {"grad", "norm"} <= names else _EACH


def _shown_by_bar(site: Site) -> str | None:
    """Help for a value that a progress bar shows; None for any other."""
    around = (site.node, *enclosing_nodes(site.file, site.node, site.statement))
    shown = any(isinstance(part, ast.Call) and last_name(part.func) in _BAR_SETTERS for part in around)
    return _SHOWN if shown else None


def _kept(site: Site) -> str:
    """How to keep the tensor without its graph: "`loss.detach()`"."""
    tensor: ast.AST = site.node
    match tensor:
        case ast.Call(func=ast.Attribute(value=value), args=[]) | ast.Call(func=ast.Name(), args=[value, *_]):
            tensor = value
    text = as_written(site.text(tensor))
    if text.endswith("…"):
        return "the detached tensor"
    if isinstance(tensor, ast.Call) and last_name(tensor.func) == "detach":
        return f"`{text}`"
    joined = isinstance(tensor, ast.BinOp | ast.UnaryOp | ast.Compare | ast.BoolOp | ast.IfExp | ast.Await)
    return f"`({text}).detach()`" if joined else f"`{text}.detach()`"
