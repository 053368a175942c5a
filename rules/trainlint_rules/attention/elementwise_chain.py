"""TRN714."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.files import supports_older_than
from trainlint.finding import Confidence, Severity
from trainlint.patterns import lazy
from trainlint_rules.attention.idioms.compiled import compiles_or_fuses
from trainlint_rules.attention.idioms.elementwise import CURVES, chain, norm_or_gelu, of_few_numbers, operations
from trainlint_rules.attention.idioms.forwards import outside_forward
from trainlint_rules.attention.idioms.names import around_is_named

_ENOUGH = 5
_OF_LOSS = lazy(r"Loss|Criterion")


class ElementwiseChain(CallRule):
    """Five or more element-wise operations in one expression of a forward pass, each a kernel of its own

    ## Why
    Each sign and each function in the formula reads its tensors from memory and writes the result back, and most
    results are kept for the backward pass. On a GPU such a chain is bound by memory alone, so each pass over it counts.
    `torch.compile` makes one kernel of the chain, forward and backward.

    ## Example
    ```python
    import torch
    from torch import nn


    class Gate(nn.Module):
        def forward(self, hidden, update, reset):
            return torch.sigmoid(update) * hidden + (1 - torch.sigmoid(update)) * torch.tanh(reset * hidden)
    ```

    ## Use instead
    ```python
    import torch
    from torch import nn


    @torch.compile
    def gated(hidden, update, reset):
        return torch.sigmoid(update) * hidden + (1 - torch.sigmoid(update)) * torch.tanh(reset * hidden)


    class Gate(nn.Module):
        def forward(self, hidden, update, reset):
            return gated(hidden, update, reset)
    ```

    Compiling the whole model does the same for all of its chains.

    ## Confirmed by
    `aten::mul`, `aten::add` and their kin in a row in a profile, on tensors of the same shape.

    ## Gain
    Fewer passes over memory: of n operations in a row, about n - 1 reads and writes of a whole tensor. Not measured
    here; nothing for small tensors, whose kernels are bound by their launch, unless the whole model is compiled.

    ## References
    - Performance tuning guide, "Fuse operations":
      https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    """

    code = "TRN714"
    name = "elementwise-chain"
    severity = Severity.ADVICE
    preview = True
    on = CURVES
    sure = Confidence.LIKELY
    unless = (
        supports_older_than((2, 0)),
        compiles_or_fuses,
        norm_or_gelu,
        of_few_numbers,
        around_is_named("the code around it computes a loss, by its name", _OF_LOSS),
        outside_forward,
    )
    message = "{count} element-wise operations in a row are a kernel each"
    help = "compile the model with `torch.compile`, which makes one kernel of them"

    def found(self, site: Site) -> Match | None:
        """A formula of many element-wise operations, at the first of its curves."""
        formula = chain(site)
        count = operations(formula) if formula is not None else 0
        return Match(site.at(formula), fields={"count": count}) if formula is not None and count >= _ENOUGH else None
