"""What becomes of the result of a collective: lost in a temporary, waited for at once, or cut to this rank's part."""

from __future__ import annotations

import ast

from trainlint.analysis.conditions.forms.ranks import asks_for_rank
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name, names_in, nodes_in, position
from trainlint.analysis.syntax.uses import loads

_CUTTING = frozenset({"chunk", "split", "tensor_split"})


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
