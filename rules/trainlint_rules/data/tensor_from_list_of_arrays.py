"""TRN111."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, How
from trainlint.analysis.syntax.names import argument, last_name, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.finding import Finding, Fix, Heat, Safety, Severity
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom

_CREATORS = frozenset({"torch.tensor", "torch.as_tensor", "torch.Tensor", "torch.FloatTensor", "torch.LongTensor"})
_KEEPING_DTYPE = frozenset({"torch.tensor", "torch.as_tensor"})
_ARRAYS = frozenset(
    "array asarray ascontiguousarray stack vstack hstack concatenate load zeros ones empty full zeros_like ones_like "
    "transpose expand_dims pad flip fliplr flipud resize reshape frombuffer fromfile loadtxt".split()
)
"""Functions of NumPy whose result is no single number."""
_PICTURES = frozenset("imread resize cvtColor warpAffine GaussianBlur imdecode copyMakeBorder".split())
"""Functions of OpenCV that return pictures."""
_HOT = frozenset({Heat.WORKER, Heat.STEP, Heat.INNER, Heat.EVAL_STEP, Heat.UNKNOWN})
_UNSEEN_HEAT = 0.75
_DEEPEST = 4


class TensorFromListOfArrays(Rule):
    """A tensor made from a list of NumPy arrays, which PyTorch reads number by number

    ## Why
    `torch.tensor` walks through a list of arrays as through nested Python lists: each number becomes a Python object
    and is put into the tensor by itself. PyTorch warns of it, once. `np.stack` copies whole arrays, and
    `torch.from_numpy` takes the result as it lies.

    ## Example
    ```python
    import numpy as np
    import torch


    def collate(paths):
        pictures = [np.load(path) for path in paths]
        return torch.tensor(pictures)


    def make_loader(rows):
        return torch.utils.data.DataLoader(rows, 32, num_workers=4, collate_fn=collate)
    ```

    ## Use instead
    ```python
    import numpy as np
    import torch


    def collate(paths):
        pictures = [np.load(path) for path in paths]
        return torch.from_numpy(np.stack(pictures))


    def make_loader(rows):
        return torch.utils.data.DataLoader(rows, 32, num_workers=4, collate_fn=collate)
    ```

    ## Stays silent
    For lists of numbers; where the file does not show that the items are arrays; in code that runs once.

    ## Gain
    44 times: 66 ms against 1.5 ms for 8 arrays of 224 x 224 float32 numbers, measured on a 2-core CPU machine with
    PyTorch 2.13. It is nothing where the arrays hold a few numbers each.

    ## Fix safety
    The values and the type of the numbers stay the same for arrays of one shape and type, which are what
    `torch.tensor` takes. Arrays of mixed types are joined in the larger one, and types that NumPy has and PyTorch has
    not fail in another place.

    ## Confirmed by
    `trainlint probe` notes PyTorch's UserWarning at this line, "Creating a tensor from a list of numpy.ndarrays is
    extremely slow", where the training process itself makes the tensor: warnings of loader workers are not heard.
    Else `aten::fill_` or long Python frames at this line in a profile.

    ## References
    - The warning and where it comes from: https://github.com/pytorch/pytorch/issues/13918
    - `torch.from_numpy`: https://docs.pytorch.org/docs/stable/generated/torch.from_numpy.html
    """

    code = "TRN111"
    name = "tensor-from-list-of-arrays"
    severity = Severity.WARNING
    fix_safety = Safety.UNSAFE
    preview = True
    confirmed_by = frozenset({Symptom.WARNING})
    warned_as = "list of numpy.ndarrays"
    triggers = Triggers(calls=frozenset({"tensor", "as_tensor", "Tensor", "FloatTensor", "LongTensor"}), heats=_HOT)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find tensors that are made of lists of arrays where it happens again and again."""
        data = argument(site.call, "data", 0)
        origin = site.origin(site.call.func)
        if data is None or origin not in _CREATORS or not _lists_arrays(site.file, data, site.block, _DEEPEST):
            return
        heat = site.heat.heat
        if heat in _HOT:
            yield self.finding(
                site,
                f"`{ast.unparse(site.call.func)}` reads a list of arrays number by number; join them with `np.stack` "
                "and take the result with `torch.from_numpy`",
                confidence=0.9 if heat is not Heat.UNKNOWN else _UNSEEN_HEAT,
                fix=partial(_fix, site, data) if origin in _KEEPING_DTYPE else None,
            )


def _lists_arrays(file: SemanticModel, node: ast.expr, block: Block, depth: int) -> bool:
    """Whether an expression is a list, and all that the file shows of its items are arrays."""
    if depth <= 0:
        return False
    if isinstance(node, ast.List | ast.Tuple):
        return bool(node.elts) and all(_is_array(file, item, block, depth - 1) for item in node.elts)
    if isinstance(node, ast.ListComp):
        return _is_array(file, node.elt, file.outline.loop_blocks.get(node.generators[-1], block), depth - 1)
    return isinstance(node, ast.Name) and _is_filled_with_arrays(file, node, block, depth)


def _is_filled_with_arrays(file: SemanticModel, name: ast.Name, block: Block, depth: int) -> bool:
    """The same of a name: by the lists that are assigned to it, and by what is appended."""
    bindings = reaching(name.id, block, position(name))
    lists: list[tuple[ast.expr, Block]] = []
    for item in bindings:
        if item.how is not How.ASSIGN or item.value is None or item.path:
            return False
        if not isinstance(item.value, ast.List) or item.value.elts:
            lists.append((item.value, item.block))
    appended = list(_appended(file, name.id, block))
    if not bindings or not (lists or appended):
        return False
    return all(_lists_arrays(file, value, outer, depth - 1) for value, outer in lists) and all(
        _is_array(file, value, outer, depth - 1) for value, outer in appended
    )


def _appended(file: SemanticModel, name: str, block: Block) -> Iterator[tuple[ast.expr, Block]]:
    """What the function around a block appends to a name."""
    function = file.outline.enclosing(block)
    for place in file.outline.fillings.get(name, []):
        call = place.node
        if isinstance(call, ast.Call) and last_name(call.func) == "append" and call.args:
            if file.outline.enclosing(place.block) is function:
                yield call.args[0], place.block


def _is_array(file: SemanticModel, node: ast.expr, block: Block, depth: int) -> bool:
    """Whether an expression is surely an array of more than one number."""
    if isinstance(node, ast.Name) and depth > 0:
        bindings = reaching(node.id, block, position(node))
        return bool(bindings) and all(
            item.how is How.ASSIGN
            and item.value is not None
            and not item.path
            and _is_array(file, item.value, item.block, depth - 1)
            for item in bindings
        )
    if not isinstance(node, ast.Call):
        return False
    origin = file.kinds.imported(node.func, block) or ""
    root, _, name = origin.rpartition(".")
    if root == "numpy":
        return name in _ARRAYS
    if root == "cv2":
        return name in _PICTURES
    if isinstance(node.func, ast.Attribute) and node.func.attr in ("astype", "copy", "transpose"):
        return _is_array(file, node.func.value, block, depth)
    return False


def _fix(site: Site, data: ast.expr) -> Fix | None:
    if len(site.call.args) + len(site.call.keywords) != 1:
        return None
    import libcst as cst

    from trainlint.fixing.rewrite import attempt, ensure_import, replace_expression

    def make() -> Fix:
        stack, numpy_import = ensure_import(site.source, site.file.tree, "numpy", "stack")
        take, torch_import = ensure_import(site.source, site.file.tree, "torch", "from_numpy")
        new = cst.parse_expression(f"{take}({stack}({ast.unparse(data)}))")
        edits = (*numpy_import, *torch_import, replace_expression(site.source, site.call, new))
        return Fix("Stack the arrays first", tuple(sorted(edits)), Safety.UNSAFE)

    return attempt(make)
