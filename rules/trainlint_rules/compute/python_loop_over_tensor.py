"""TRN412."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, Function
from trainlint.analysis.syntax.names import constant, dotted, last_name, nodes_in, root_name
from trainlint.analysis.tables.host_reads import SIZED_BY_DATA, TO_PYTHON
from trainlint.analysis.types.values import Kind, Origin
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers

_SEQUENCE = lazy(r"(^|_)(t|time|timestep|step|token|pos|layer|level|scale|depth)s?($|_)", re.IGNORECASE)
"""Names of what runs over a sequence, whose next item needs this one, or over parts of a network."""
_RAGGED = SIZED_BY_DATA | TO_PYTHON | frozenset("where nms topk split chunk multinomial append_".split())
_UNSURE = frozenset({Origin.NAME, Origin.BATCH})


class PythonLoopOverTensor(Rule):
    """A Python loop takes a tensor on the device apart row by row: kernels for each row instead of for all

    ## Why
    Each operation on a row starts a kernel of its own, which costs the host 5 to 10 microseconds however few numbers
    there are, and so does taking the row. What a loop does to 256 rows with four operations each is a thousand
    kernels; the same four operations on the whole tensor are four. Summing 10 000 numbers in a loop took 92 ms on a
    CPU, `sum()` 0.0025 ms (PyTorch 2.13, two cores).

    ## Example
    ```python
    import torch


    class Scorer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(64, 64).cuda()

        def forward(self, queries, keys):
            encoded = self.layer(queries)
            scores = []
            for i in range(encoded.size(0)):
                scores.append((encoded[i] * keys[i]).sum())
            return torch.stack(scores)
    ```

    ## Use instead
    ```python
    import torch


    class Scorer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(64, 64).cuda()

        def forward(self, queries, keys):
            encoded = self.layer(queries)
            return (encoded * keys).sum(dim=-1)
    ```

    `torch.vmap` does the same for functions of one row that are harder to write for all.

    ## Stays silent
    Where a round needs the one before, as in recurrences; where rows are cut to different lengths, or masked; where a
    network runs on each row; for loops over layers, lists, time steps, and outside of forwards and training steps.

    ## Confirmed by
    A row of equal short kernels with gaps between them in a profile, as many as the tensor has rows.

    ## Gain
    Four orders of magnitude in the measurement above, on the CPU. Nothing for a handful of rows.

    ## References
    - `torch.vmap`: https://docs.pytorch.org/docs/stable/generated/torch.vmap.html
    - Broadcasting: https://docs.pytorch.org/docs/stable/notes/broadcasting.html
    """

    code = "TRN412"
    name = "python-loop-over-tensor"
    severity = Severity.WARNING
    heat_matters = False
    preview = True
    triggers = Triggers(loops=True)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find loops over the rows of a tensor whose rounds do not depend on each other."""
        loop = site.node
        if not isinstance(loop, ast.For) or is_test_path(site.path) or not _is_hot(site):
            return
        tensor = _rows_of(site, loop)
        if tensor is None or _depends(loop) or not _computes(site, loop, tensor):
            return
        shown = ast.unparse(tensor)
        yield self.finding(
            site,
            f"this loop computes with one row of `{shown}` after the other, which starts kernels for each of them; "
            "compute with the whole tensor, or with `torch.vmap`",
            at=loop.iter,
            confidence=0.75,
        )


def _is_hot(site: Site) -> bool:
    function = site.function
    is_forward = (
        function is not None
        and function.name == "forward"
        and function.owner is not None
        and site.file.kinds.is_module_class(function.owner)
    )
    return is_forward or site.heat.heat.in_step


def _rows_of(site: Site, loop: ast.For) -> ast.expr | None:
    """The tensor whose rows a loop counts: `range(x.size(0))`, `range(x.shape[0])`; a list has only a length."""
    if not isinstance(loop.target, ast.Name) or _SEQUENCE.search(loop.target.id):
        return None
    call = loop.iter
    if not isinstance(call, ast.Call) or last_name(call.func) != "range" or len(call.args) != 1:
        return None
    tensor = _counted(call.args[0])
    if tensor is None or dotted(tensor) is None:
        return None
    value = site.value(tensor)
    sure = value.on_device and value.confidence >= 0.8 and value.origin not in _UNSURE
    return tensor if sure and value.kind is Kind.TENSOR else None


def _counted(count: ast.expr) -> ast.expr | None:
    match count:
        case ast.Call(func=ast.Attribute(attr="size", value=tensor), args=[place]) if constant(place) == 0:
            return tensor
        case ast.Subscript(value=ast.Attribute(attr="shape", value=tensor), slice=place) if constant(place) == 0:
            return tensor
    return None


def _depends(loop: ast.For) -> bool:
    """Whether a round reads what another one computed, or does something else than compute."""
    stored: set[str] = set()
    for statement in loop.body:
        if not isinstance(statement, ast.Assign | ast.AugAssign | ast.Expr):
            return True
        if isinstance(statement, ast.Assign):
            stored |= {root_name(target) for target in statement.targets}
    first_read: set[str] = set()
    done: set[str] = set()
    for statement in loop.body:
        value = statement.value if isinstance(statement, ast.Assign | ast.AugAssign | ast.Expr) else None
        names = {part.id for part in nodes_in(value) if isinstance(part, ast.Name)} if value is not None else set()
        first_read |= names - done
        if isinstance(statement, ast.Assign):
            done |= {target.id for target in statement.targets if isinstance(target, ast.Name)}
    return bool(first_read & stored)


def _computes(site: Site, loop: ast.For, tensor: ast.expr) -> bool:
    """Whether the rounds compute with rows, and with nothing whose size differs from row to row."""
    name, rows, operations = ast.unparse(tensor), 0, 0
    for statement in loop.body:
        for part in nodes_in(statement):
            if _differs_by_row(site, part, loop, name):
                return False
            rows += isinstance(part, ast.Subscript) and ast.unparse(part.value) == name
            operations += isinstance(part, ast.BinOp)
            operations += isinstance(part, ast.Call) and last_name(part.func) != "append"
    return rows > 0 and operations > 0


def _differs_by_row(site: Site, part: ast.AST, loop: ast.For, tensor: str) -> bool:
    """Whether an expression takes something else of the tensor than the round's row, or may differ in size by row."""
    match part:
        case ast.Subscript(slice=index) if ast.unparse(part.value) == tensor:
            return not isinstance(index, ast.Name) or index.id != ast.unparse(loop.target)
        case ast.Slice(lower=lower, upper=upper):
            return lower is not None or upper is not None
        case ast.Call(func=func):
            block = site.file.outline.loop_blocks[loop]
            return last_name(func) in _RAGGED or not _is_operation(site, part, block)
    return False


def _is_operation(site: Site, call: ast.Call, block: Block) -> bool:
    """Whether a call is an operation of PyTorch on tensors, or puts a result into a list."""
    origin = site.file.kinds.imported(call.func, block)
    if origin is not None:
        return origin.startswith("torch.") and not last_name(call.func)[:1].isupper()
    if not isinstance(call.func, ast.Attribute):
        return False
    if call.func.attr == "append":
        return True
    function: Function | None = site.function
    own = function is not None and root_name(call.func) == "self"
    return not own and site.file.kinds.of(call.func.value, block).is_tensor
