"""TRN712."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import How
from trainlint.analysis.syntax.names import argument, constant, dotted, has_unpacked_arguments, last_name, nodes_in
from trainlint.analysis.syntax.reaching import single_value
from trainlint.analysis.syntax.uses import assigned_target, loads
from trainlint.finding import Finding, Fix, Safety, Severity
from trainlint.rule import Rule, Triggers

_ONE_HOT = "torch.nn.functional.one_hot"
_CASTS = frozenset({"float", "half", "bfloat16", "double", "to", "type", "type_as"})
_SHAPES = frozenset({"contiguous", "view", "reshape", "flatten"})
_PRODUCTS = frozenset({"matmul", "mm"})
_NEW = frozenset({"zeros", "new_zeros"})


class OneHotMatmul(Rule):
    """Rows of a matrix are picked by a product with one-hot vectors

    ## Why
    A product with a one-hot vector copies one row and multiplies all others with zero. For n indices and a table of
    v rows of d numbers that is 2nvd operations and a matrix of n by v, 8 bytes each as `one_hot` makes it and 4 more
    once it is cast. `F.embedding` reads n rows. Its backward pass adds to the n rows that were read.

    ## Example
    ```python
    import torch.nn.functional as F
    from torch import nn


    class Lookup(nn.Module):
        def __init__(self, entries, width):
            super().__init__()
            self.entries = entries
            self.table = nn.Embedding(entries, width)

        def forward(self, ids):
            return F.one_hot(ids, self.entries).float() @ self.table.weight
    ```

    ## Use instead
    ```python
    import torch.nn.functional as F
    from torch import nn


    class Lookup(nn.Module):
        def __init__(self, entries, width):
            super().__init__()
            self.entries = entries
            self.table = nn.Embedding(entries, width)

        def forward(self, ids):
            return F.embedding(ids, self.table.weight)
    ```

    ## Stays silent
    Where the one-hot matrix is transposed, which sums rows by index instead of picking them; where it stands on the
    right, or is weighed, mixed or smoothed before; for a table that is one-hot itself, or a batch of tables; in tests
    and benchmarks.

    ## Fix safety
    The result is the same where the table has two dimensions and holds finite numbers: an infinite number makes NaN of
    all results of the product. The type of the result is that of the table, and under autocast the product was one of
    16 bits. Gradients are added up in another order.

    ## Confirmed by
    `aten::one_hot` or `aten::scatter_` before `aten::mm` in a profile.

    ## Gain
    The product, and memory of indices by entries. Not measured here; nothing to speak of for tables of some dozens of
    rows. Compilers for TPUs prefer the product, and it has a gradient for soft vectors, which the lookup has not.

    ## References
    - `torch.nn.functional.embedding`:
      https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.embedding.html
    """

    code = "TRN712"
    name = "one-hot-matmul"
    severity = Severity.WARNING
    fix_safety = Safety.UNSAFE
    heat_matters = False
    preview = True
    triggers = Triggers(calls=frozenset({"one_hot", "scatter_"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find one-hot matrices that are the left side of a product."""
        if is_test_path(site.path) or site.function is None or has_unpacked_arguments(site.call):
            return
        ids = _indices(site)
        if ids is None:
            return
        for product, direct in _products(site):
            yield self.finding(
                site.at(product),
                f"this product with one-hot rows (line {site.call.lineno}) picks rows of "
                f"`{ast.unparse(_sides(product)[1])[:60]}`; look them up with `F.embedding`",
                confidence=0.8,
                fix=partial(_fix, site, product, ids) if direct else None,
            )


def _indices(site: Site) -> ast.expr | None:
    """What a call makes one-hot vectors of: `F.one_hot(ids)`, or `zeros.scatter_(1, ids, 1)`."""
    call = site.call
    if last_name(call.func) == "one_hot":
        return argument(call, "tensor", 0) if site.origin(call.func) == _ONE_HOT else None
    dimension = constant(argument(call, "dim", 0))
    value = argument(call, "value", 2) or argument(call, "src", 2)
    if dimension not in (1, -1) or constant(value) not in (1, 1.0) or argument(call, "reduce") is not None:
        return None
    assert isinstance(call.func, ast.Attribute)
    index = argument(call, "index", 1)
    if index is None or not _is_column(single_value(index, site.block) or index):
        return None
    return index if _is_new(site, call.func.value) else None


def _is_column(index: ast.expr) -> bool:
    """Whether there is surely one index a row: with several, the product adds rows up."""
    match index:
        case ast.Call(func=ast.Attribute(attr="unsqueeze"), args=[dimension]):
            return constant(dimension) in (1, -1)
        case ast.Call(func=ast.Attribute(attr="view" | "reshape"), args=[_, last]):
            return constant(last) == 1
        case ast.Subscript(slice=ast.Tuple(elts=[ast.Slice(), last])):
            return constant(last) is None
        case ast.Call():
            return constant(argument(index, "keepdim")) is True
    return False


def _is_new(site: Site, node: ast.expr) -> bool:
    """Whether a value starts as zeros, and is nothing else in this function."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CASTS:
        node = node.func.value
    if isinstance(node, ast.Call):
        return last_name(node.func) in _NEW
    if not isinstance(node, ast.Name):
        return False
    bindings = site.block.scope.bindings.get(node.id, [])
    if len(bindings) != 1 or bindings[0].how is not How.ASSIGN or not isinstance(bindings[0].value, ast.Call):
        return False
    return not isinstance(bindings[0].value.func, ast.Name) and _is_new(site, bindings[0].value)


def _products(site: Site) -> Iterator[tuple[ast.expr, bool]]:
    """The products that the vectors are the left side of, and whether they are written in place there."""
    assert site.function is not None
    call, root = site.call, site.function.node
    parents = {child: node for node in nodes_in(root) for child in ast.iter_child_nodes(node)}
    in_place = last_name(call.func) == "scatter_" and isinstance(parents.get(call), ast.Expr)
    if in_place and isinstance(call.func, ast.Attribute):
        name = dotted(call.func.value)
    else:
        vectors, around = _outermost(call, parents)
        product = _product(vectors, around)
        if product is not None:
            yield product, True
        name = _only_name(site, vectors, around)
    for load, _ in loads(root, name) if name is not None else ():
        product = _product(*_outermost(load, parents)) if load.lineno >= call.lineno else None
        if product is not None:
            yield product, False


def _outermost(node: ast.expr, parents: dict[ast.AST, ast.AST]) -> tuple[ast.expr, ast.AST | None]:
    """A value behind its casts and changes of shape, and what stands around it."""
    while True:
        attribute = parents.get(node)
        around = parents.get(attribute) if isinstance(attribute, ast.Attribute) else None
        if not isinstance(attribute, ast.Attribute) or not isinstance(around, ast.Call) or around.func is not attribute:
            return node, attribute
        if attribute.attr in _PRODUCTS:
            return node, around
        if attribute.attr not in _CASTS and (attribute.attr not in _SHAPES or _flattens(around)):
            return node, attribute
        node = around


def _flattens(call: ast.Call) -> bool:
    """Whether a change of shape may break the one-hot rows up: all but `view(-1, entries)`."""
    return last_name(call.func) != "contiguous" and not (len(call.args) == 2 and constant(call.args[0]) == -1)


def _sides(product: ast.AST) -> tuple[ast.expr | None, ast.AST]:
    match product:
        case ast.BinOp(op=ast.MatMult(), left=left, right=right):
            return left, right
        case ast.Call(func=ast.Attribute(attr="matmul" | "mm", value=value), args=[right], keywords=[]):
            return value, right
        case ast.Call(func=ast.Attribute(attr="matmul" | "mm") | ast.Name(), args=[left, right], keywords=[]):
            return left, right
    return None, product


def _product(vectors: ast.expr, around: ast.AST | None) -> ast.expr | None:
    """What stands around the vectors, where that is their product with a table that is not one-hot itself."""
    if not isinstance(around, ast.expr) or (isinstance(around, ast.Call) and last_name(around.func) not in _PRODUCTS):
        return None
    left, right = _sides(around)
    names = [last_name(part) for part in nodes_in(right) if isinstance(part, ast.Name | ast.Attribute)]
    one_hot = any("one_hot" in name or "onehot" in name for name in names)
    return around if left is vectors and not one_hot else None


def _only_name(site: Site, vectors: ast.expr, statement: ast.AST | None) -> str | None:
    """The name that a statement gives the vectors, where it means nothing else."""
    target = assigned_target(statement, vectors)
    if not isinstance(target, ast.Name) or len(site.block.scope.bindings.get(target.id, [])) != 1:
        return None
    return target.id


def _fix(site: Site, product: ast.expr, ids: ast.expr) -> Fix | None:
    func = site.call.func
    left, table = _sides(product)
    if not isinstance(func, ast.Attribute) or func.attr != "one_hot" or not isinstance(table, ast.expr):
        return None
    casts = [part for part in nodes_in(left) if isinstance(part, ast.Call)] if left is not None else []
    if any(last_name(part.func) in _SHAPES for part in casts):
        return None
    from trainlint.fixing.rewrite import attempt, replace_expression

    def make() -> Fix:
        import libcst as cst

        functional = ast.unparse(func.value)
        new = cst.parse_expression(f"{functional}.embedding({ast.unparse(ids)}, {ast.unparse(table)})")
        return Fix("Look the rows up", (replace_expression(site.source, product, new),), Safety.UNSAFE)

    return attempt(make)
