"""Old functions of linear algebra, and of ranges, whose new form depends on the arguments of the call."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import constant, has_unpacked_arguments, last_name
from trainlint.analysis.types.calls.integers import integer, is_integer
from trainlint.finding import Edit

NEW_NAMES = {
    "torch.chain_matmul": "torch.linalg.multi_dot",
    "torch.cholesky": "torch.linalg.cholesky",
    "torch.qr": "torch.linalg.qr",
    "torch.range": "torch.arange",
}
_FIRST_WITH_UPPER = (1, 10)
"""`torch.linalg.cholesky` takes `upper` since then."""

_WIDE_INTEGERS = frozenset({"long", "int64", "int", "int32"})
_WIDE_FLOATS = frozenset({"float", "float32", "double", "float64"})
_EXACT_IN_ANY = 2**8
"""Up to here, integers are exact in every floating type, bfloat16 included."""
_EXACT_IN_FLOAT32 = 2**24


def new_call(site: Site, call: ast.Call, symbol: str) -> tuple[Edit, ...]:
    """The edits that make a call of an old function one of the new function, with the same result bit for bit.

    Raises Unfixable where the arguments do not prove that there is such a call.
    """
    from trainlint.fixing.expressions import replace_by_text
    from trainlint.fixing.rewrite import Unfixable, ensure_import

    rewrite = _REWRITES.get(symbol)
    if rewrite is None or has_unpacked_arguments(call):
        raise Unfixable(f"{symbol} asks for a person")
    module, _, name = NEW_NAMES[symbol].rpartition(".")
    written, imports = ensure_import(site.source, site.file.tree, module, name)
    return (*imports, replace_by_text(site.source, call.func, written), *rewrite(site, call))


def needed_version(call: ast.AST, symbol: str) -> tuple[int, int] | None:
    """The first PyTorch whose new function takes the arguments of a call; None where that is the first that has it."""
    if symbol == "torch.cholesky" and isinstance(call, ast.Call) and constant(_upper(call)) is not False:
        return _FIRST_WITH_UPPER
    return None


def _upper(call: ast.Call) -> ast.expr:
    """The argument `upper`; False where it is not given."""
    given = [*call.args[1:2], *(keyword.value for keyword in call.keywords if keyword.arg == "upper")]
    return given[0] if given else ast.Constant(False)


def _argument_indices(call: ast.Call, *names: str, positional: int = 2) -> dict[str, int]:
    """The arguments of a call: name → index, positional ones first. Raises Unfixable for others than those named."""
    from trainlint.fixing.rewrite import Unfixable

    written = [*names[: len(call.args)], *(keyword.arg for keyword in call.keywords)]
    given = {name: index for index, name in enumerate(written) if name is not None}
    if len(call.args) > positional or len(given) != len(written) or given.keys() - {*names, "out"}:
        raise Unfixable(f"the arguments at line {call.lineno} are not those of the old function")
    return given


def _argument_at(call: ast.Call, index: int) -> ast.expr:
    return [*call.args, *(keyword.value for keyword in call.keywords)][index]


def _cholesky(site: Site, call: ast.Call) -> Iterator[Edit]:
    yield from _option(site, call, ("input", "upper"), default=False, new="upper", value=lambda upper: upper)


def _qr(site: Site, call: ast.Call) -> Iterator[Edit]:
    def mode(some: str) -> str:
        return '"complete"' if some == "False" else f'"reduced" if {some} else "complete"'

    yield from _option(site, call, ("input", "some"), default=True, new="mode", value=mode)


def _option(
    site: Site, call: ast.Call, names: tuple[str, str], *, default: bool, new: str, value: Callable[[str], str]
) -> Iterator[Edit]:
    """The option of a function of one matrix: not given where it is the default, else under its new name and value."""
    from trainlint.fixing.keywords import remove_argument, rename_argument
    from trainlint.fixing.rewrite import Unfixable

    matrix, option = names
    given = _argument_indices(call, *names)
    if given.get(matrix) != 0 or not call.args:
        raise Unfixable(f"the matrix at line {call.lineno} is given by name, and that has changed")
    index = given.get(option)
    if index is None:
        return
    written = _argument_at(call, index)
    if constant(written) is default:
        yield remove_argument(site.source, call, index)
    elif index < len(call.args) or option != new:
        yield rename_argument(site.source, call, index, new, value(ast.unparse(written)))


def _chain_matmul(site: Site, call: ast.Call) -> Iterator[Edit]:
    """The matrices as one list."""
    from trainlint.fixing.arguments import arguments_as_list
    from trainlint.fixing.rewrite import Unfixable

    if len(call.args) < 2 or any(keyword.arg != "out" for keyword in call.keywords):
        raise Unfixable("a single matrix is given back as it is, which the new function refuses")
    yield arguments_as_list(site.source, call)


def _range(site: Site, call: ast.Call) -> Iterator[Edit]:
    """The end one step of size 1 further, and the floating type that the old function gives to integers."""
    from trainlint.fixing.expressions import replace_by_text
    from trainlint.fixing.rewrite import Unfixable, add_keyword, ensure_import

    given = _argument_indices(call, "start", "end", "step", "dtype", "device", "layout", "requires_grad", positional=3)
    start, end, step = (_argument_at(call, given[name]) if name in given else None for name in ("start", "end", "step"))
    forward = 1 if step is None else integer(step)
    if start is None or end is None or not forward:
        raise Unfixable(f"the range at line {call.lineno} has no start, no end, or a step that is no integer")
    dtype = last_name(_argument_at(call, given["dtype"])) if "dtype" in given else None
    if dtype is not None and dtype not in _WIDE_INTEGERS | _WIDE_FLOATS:
        raise Unfixable(f"`{dtype}` is too narrow")
    if not all(_is_exact(site, bound, dtype) for bound in (start, end)):
        raise Unfixable(f"a bound at line {call.lineno} may be no integer, or none that each type can represent")
    yield replace_by_text(site.source, end, _shifted_integer(end, 1 if forward > 0 else -1))
    if dtype is None and "out" not in given:
        torch, imports = ensure_import(site.source, site.file.tree, "torch")
        yield from imports
        yield add_keyword(site.source, call, "dtype", f"{torch}.get_default_dtype()")


def _is_exact(site: Site, bound: ast.expr, dtype: str | None) -> bool:
    """Whether a bound is an integer that the type of the range can represent."""
    number, limit = integer(bound), _EXACT_IN_FLOAT32 if dtype in _WIDE_FLOATS else _EXACT_IN_ANY
    return (number is not None and abs(number) <= limit) or (
        dtype in _WIDE_INTEGERS and is_integer(site.file, bound, site.block)
    )


def _shifted_integer(node: ast.expr, by: int) -> str:
    """An integer expression plus 1 or minus 1, as one would write it: `n` for `n - 1 + 1`."""
    number = integer(node)
    if number is not None:
        return str(number + by)
    base, offset = ast.unparse(node), by
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as sign, right=ast.Constant(value=int(last))):
            base, offset = ast.unparse(left), by + (last if isinstance(sign, ast.Add) else -last)
    return base if not offset else f"{base} {'+' if offset > 0 else '-'} {abs(offset)}"


_REWRITES: dict[str, Callable[[Site, ast.Call], Iterator[Edit]]] = {
    "torch.chain_matmul": _chain_matmul,
    "torch.cholesky": _cholesky,
    "torch.qr": _qr,
    "torch.range": _range,
}
