"""TRN316."""

from __future__ import annotations

from trainlint.analysis.conditions.alternatives import origins
from trainlint.analysis.site import Site
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guard import guard
from trainlint.finding import Severity

_MODULE = "torch.utils.checkpoint"


@guard
def _may_be_function(site: Site) -> bool:
    """The name may also mean the function, or one of the project's own."""
    return not origins(site.call.func, site.block) <= {_MODULE}


class CheckpointModuleCalled(CallRule):
    """The module `torch.utils.checkpoint` is called like the function in it

    ## Why
    `torch.utils.checkpoint` is a module, and the function that saves memory is `torch.utils.checkpoint.checkpoint`.
    The call raises "TypeError: 'module' object is not callable", and it does so late: not at the import, but when
    somebody who runs out of memory switches checkpointing on. `from torch.utils.checkpoint import checkpoint` brings
    the function in, and is right.

    ## Example
    ```python
    from torch.utils import checkpoint


    def encode(layers, hidden):
        for layer in layers:
            hidden = checkpoint(layer, hidden)
        return hidden
    ```

    ## Use instead
    ```python
    from torch.utils import checkpoint


    def encode(layers, hidden):
        for layer in layers:
            hidden = checkpoint.checkpoint(layer, hidden, use_reentrant=False)
        return hidden
    ```

    The function runs a piece of the model, with its inputs, in `forward`. It wraps no module: what is written
    `self.block = torch.utils.checkpoint(self.block)` in a constructor needs another place, not another name, or
    `checkpoint_wrapper` of `torch.distributed.algorithms._checkpoint.checkpoint_wrapper`.

    ## Confirmed by
    "TypeError: 'module' object is not callable" where the line runs.

    ## Gain
    A program that does not stop here. What checkpointing itself saves depends on the model: only the inputs of each
    piece are kept instead of all activations in it, for one more forward.

    ## References
    - `torch.utils.checkpoint`: https://docs.pytorch.org/docs/stable/checkpoint.html
    """

    code = "TRN316"
    name = "checkpoint-module-called"
    severity = Severity.ERROR
    in_tests = True
    on = (_MODULE,)
    unless = (_may_be_function,)
    message = "`torch.utils.checkpoint` is a module, and calling it raises a TypeError"
    help = "call `torch.utils.checkpoint.checkpoint` with the inputs"

    def found(self, site: Site) -> Match:
        """Any call of the module itself."""
        return Match(site)
