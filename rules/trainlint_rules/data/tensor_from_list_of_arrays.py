"""TRN111."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import EACH_STEP, Match
from trainlint.finding import Confidence, Heat
from trainlint.symptoms import Symptom
from trainlint_rules.data.idioms.lists_of_arrays import lists_arrays

_KEEPING_DTYPE = ("torch.tensor", "torch.as_tensor")
_BATCHES = {Heat.WORKER: Confidence.CERTAIN, Heat.EVAL_STEP: Confidence.CERTAIN, Heat.UNKNOWN: Confidence.LIKELY}


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
    on = (*_KEEPING_DTYPE, "torch.Tensor", "torch.FloatTensor", "torch.LongTensor")
    when = EACH_STEP | _BATCHES
    message = "`{creator}` reads a list of NumPy arrays number by number"
    help = "join the arrays with `np.stack` and pass the result to `torch.from_numpy`"

    def found(self, site: Site) -> Match | None:
        """A tensor that is made of a list of arrays."""
        data = argument(site.call, "data", 0)
        lists = data is not None and lists_arrays(site.file, data, site.block)
        return Match(site, fields={"data": data, "creator": site.text(site.call.func)}) if lists else None
