"""TRN111."""

from __future__ import annotations

import ast

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.syntax.names import argument, last_name
from trainlint.analysis.syntax.reaching import single_value
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import EACH_STEP, Match
from trainlint.finding import Confidence, Heat
from trainlint.symptoms import Symptom

_BATCHES = {Heat.WORKER: Confidence.CERTAIN, Heat.EVAL_STEP: Confidence.CERTAIN, Heat.UNKNOWN: Confidence.LIKELY}
_ARRAYS = frozenset(
    "array asarray stack vstack hstack concatenate load zeros ones empty full zeros_like ones_like transpose imread "
    "expand_dims pad flip fliplr flipud resize reshape frombuffer fromfile loadtxt cvtColor warpAffine".split()
)
"""Functions of NumPy and OpenCV whose result is no single number."""
_OF_ARRAYS = frozenset({"astype", "copy", "transpose"})


class TensorFromListOfArrays(CallRule):
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

    ## Gain
    44 times: 66 ms against 1.5 ms for 8 arrays of 224 x 224 float32 numbers, measured on a 2-core CPU machine with
    PyTorch 2.13. It is nothing where the arrays hold a few numbers each.

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
    preview = True
    confirmed_by = frozenset({Symptom.WARNING})
    warned_as = "list of numpy.ndarrays"
    on = ("torch.tensor", "torch.as_tensor", "torch.Tensor", "torch.FloatTensor", "torch.LongTensor")
    when = EACH_STEP | _BATCHES
    message = "`{creator}` reads a list of NumPy arrays number by number"
    help = "join the arrays with `np.stack` and pass the result to `torch.from_numpy`"

    def found(self, site: Site) -> Match | None:
        """A tensor that is made of a list of arrays."""
        data = argument(site.call, "data", 0)
        items = _items(site, data) if data is not None else []
        arrays = bool(items) and all(_is_array(site, item, block) for item, block in items)
        return Match(site, fields={"creator": site.text(site.call.func)}) if arrays else None


def _items(site: Site, data: ast.expr) -> list[tuple[ast.expr, Block]]:
    """The items of a list: those that are written, or that the function appends to its name."""
    made = single_value(data, site.block) or data
    match made:
        case ast.List(elts=elements) | ast.Tuple(elts=elements) if elements:
            return [(item, site.block) for item in elements]
        case ast.ListComp(elt=element, generators=[*_, last]):
            return [(element, site.file.outline.loop_blocks.get(last, site.block))]
    places = site.file.outline.fillings.get(data.id, []) if isinstance(data, ast.Name) else []
    appended = [p for p in places if site.file.outline.enclosing(p.block) is site.function]
    calls = [(p.node, p.block) for p in appended if isinstance(p.node, ast.Call)]
    return [(call.args[0], block) for call, block in calls if last_name(call.func) == "append" and call.args]


def _is_array(site: Site, node: ast.expr, block: Block) -> bool:
    """Whether an expression is surely an array of more than one number."""
    made = single_value(node, block) or node
    while isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute) and made.func.attr in _OF_ARRAYS:
        made = made.func.value
    if not isinstance(made, ast.Call):
        return False
    root, _, name = (site.file.outline.imported(made.func, block) or "").rpartition(".")
    return root in ("numpy", "cv2") and name in _ARRAYS
