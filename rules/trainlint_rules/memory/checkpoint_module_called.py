"""TRN316."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.analysis.conditions.alternatives import origins
from trainlint.analysis.site import Site
from trainlint.finding import Finding, Severity
from trainlint.rule import Rule, Triggers

_MODULE = "torch.utils.checkpoint"


class CheckpointModuleCalled(Rule):
    """The module `torch.utils.checkpoint` is called like the function in it

    ## Why
    `torch.utils.checkpoint` is a module, and the function that saves memory is `torch.utils.checkpoint.checkpoint`.
    The call raises "TypeError: 'module' object is not callable", and it does so late: not at the import, but when
    somebody who runs out of memory switches checkpointing on.

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

    ## Stays silent
    For `from torch.utils.checkpoint import checkpoint`, which brings the function in; where the name may also mean
    that function, or one of the project's own.

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
    heat_matters = False
    triggers = Triggers(calls=frozenset({"checkpoint"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find calls of the module itself."""
        if site.origin(site.call.func) == _MODULE and origins(site.call.func, site.block) <= {_MODULE}:
            yield self.finding(
                site,
                "`torch.utils.checkpoint` is a module, so this raises a TypeError; the function is "
                "`torch.utils.checkpoint.checkpoint`, and it is called with the inputs",
                confidence=0.97,
            )
