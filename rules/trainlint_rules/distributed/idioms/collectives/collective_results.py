"""What becomes of the result of a collective: lost in a temporary, waited for at once, or cut to this rank's part."""

from __future__ import annotations

import ast

from trainlint.analysis.conditions.forms.ranks import asks_for_rank
from trainlint.analysis.effects.collectives import body_around
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant, last_name, names_in, nodes_in, position, root_name
from trainlint.analysis.syntax.uses import loads
from trainlint.contract.guard import guard
from trainlint.finding import Confidence

_ALWAYS = frozenset("clone sum mean max min abs exp sqrt softmax flip repeat tile".split())
_WHERE_IT_DIFFERS = frozenset(
    "contiguous float half bfloat16 double int long type type_as to cuda cpu".split(),
)
"""Methods that return the tensor itself where it has the layout, the type or the device already."""
_MODULES = frozenset({"torch", "np", "numpy", "F", "math"})
_CUTTING = frozenset({"chunk", "split", "tensor_split"})


def temporary(tensor: ast.expr) -> Confidence | None:
    """How sure it is that an expression makes a new tensor; None for names, views and methods that return their own.

    LIKELY where it depends on the layout, the type or the device of the tensor.
    """
    match tensor:
        case ast.BinOp():
            return Confidence.CERTAIN if constant(tensor) is ... else None
        case ast.Call(func=ast.Attribute(attr=name)) if name in _ALWAYS:
            return Confidence.CERTAIN
        case ast.Call(func=ast.Attribute(attr=name)) if name in _WHERE_IT_DIFFERS:
            return Confidence.LIKELY
    return None


def original(tensor: ast.expr) -> str:
    """The name of the first tensor in an expression: "scores" for `scores.float() / 2`."""
    return root_name(tensor.left if isinstance(tensor, ast.BinOp) else tensor)


@guard
def made_by_function(site: Site) -> bool:
    """The tensor has no name (`torch.zeros(1).cuda()`), so no original can be used by mistake."""
    match site.node:
        case ast.BinOp(left=left, right=right):
            return not any(_is_named(part) for part in (left, right))
        case ast.Call(func=ast.Attribute(value=value)):
            return not _is_named(value) or _begins_with_call(value)
    return False


def _is_named(node: ast.expr) -> bool:
    return root_name(node) not in {"", *_MODULES}


def _begins_with_call(node: ast.expr) -> bool:
    """Whether a chain starts at the result of a function, as in `make_flag(1).cuda()`: that has no name anyhow."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        if isinstance(node, ast.Call):
            if not isinstance(node.func, ast.Attribute):
                return True
            node = node.func.value
        else:
            node = node.value
    return False


def waits_at_once(site: Site) -> bool:
    """Whether the `wait()` of a call follows it with no statement in between, and its handle has one name at most."""
    match site.statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=waited, attr="wait"))):
            return waited is site.node
        case ast.Assign(targets=[ast.Name(id=name), *_], value=value) if value is site.node:
            match _next_statement(site):
                case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=handle), attr="wait"))):
                    return bool(handle == name)
    return False


def _next_statement(site: Site) -> ast.stmt | None:
    body = body_around(site.statement, site.block)
    after = body[body.index(site.statement) + 1 :] if site.statement in body else []
    return after[0] if after else None


def kept_part(site: Site, tensor: ast.Name) -> ast.Subscript | None:
    """The one place behind a collective that cuts this rank's part out of its tensor."""
    cuts = [part for part in _later_subscripts(site, tensor) if _is_part_of_rank(site, part, tensor.id)]
    return cuts[0] if len(cuts) == 1 else None


def reads_besides(site: Site, tensor: ast.Name, part: ast.expr) -> bool:
    """Whether the function reads the tensor behind a collective outside of a part that is cut from it."""
    if site.function is None:
        return False
    reads = {node for node, _ in loads(site.function.node, tensor.id) if position(node) > position(tensor)}
    return not reads or not reads <= set(nodes_in(part))


def _later_subscripts(site: Site, tensor: ast.Name) -> list[ast.Subscript]:
    root = site.function.node if site.function is not None else None
    parts = nodes_in(root) if root is not None else []
    return [part for part in parts if isinstance(part, ast.Subscript) and position(part) > position(tensor)]


def _is_part_of_rank(site: Site, node: ast.Subscript, name: str) -> bool:
    """Whether this cuts a rank's part out: `x.chunk(n)[rank]`, `x[rank * n : (rank + 1) * n]`, `x[rank]`."""
    match node:
        case ast.Subscript(ctx=ast.Load(), value=ast.Call() as call):
            whole = _chunked_tensor(call)
            return isinstance(whole, ast.Name) and whole.id == name and asks_for_rank(node.slice, site.block)
        case ast.Subscript(ctx=ast.Load(), value=ast.Name(id=cut), slice=ast.Slice(lower=ast.expr() as lower)):
            return cut == name and any("rank" in word.lower() for word in names_in(lower))
        case ast.Subscript(ctx=ast.Load(), value=ast.Name(id=cut), slice=ast.Call() | ast.Name() as index):
            return cut == name and asks_for_rank(index, site.block)
    return False


def _chunked_tensor(call: ast.Call) -> ast.expr | None:
    """The tensor that `x.chunk(n)` or `torch.chunk(x, n)` cuts into parts; None for other calls."""
    if last_name(call.func) not in _CUTTING:
        return None
    if isinstance(call.func, ast.Attribute) and last_name(call.func.value) != "torch":
        return call.func.value
    return call.args[0] if call.args else None


@guard
def has_plain_twin(site: Site) -> bool:
    """The function also makes the same call without `async_op`, so it chooses on purpose."""
    return any(
        other.function is site.function and other.call is not site.call and argument(other.call, "async_op") is None
        for other in site.calls(last_name(site.call.func))
    )
