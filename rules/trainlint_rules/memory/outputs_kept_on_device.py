"""TRN311."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.contract.bases import CallRule
from trainlint.contract.confidence import level
from trainlint.contract.declared_rule import Match
from trainlint.finding import Severity
from trainlint_rules.memory.idioms.iterations import outside_evaluation_loop
from trainlint_rules.memory.idioms.kept_outputs import appended_output, autograd_on, emptied_on_the_way, reduced


class OutputsKeptOnDevice(CallRule):
    """A list of model outputs grows on the device through a whole evaluation

    ## Why
    What is appended batch by batch stays on the device until the loop is over, beside the model and the activations
    of each batch. The list grows with the data set: 50,000 rows of 1,000 logits in float32 are 200 MB, as many rows
    of a 30,000-word vocabulary 6 GB. The evaluation then fails at a size of the data, not of the batch, and the
    concatenation at its end needs it all twice.

    ## Example
    ```python
    import torch


    @torch.no_grad()
    def predict(model, test_loader, device):
        model.eval()
        kept = []
        for inputs in test_loader:
            outputs = model(inputs.to(device, non_blocking=True))
            kept.append(outputs)
        return torch.cat(kept)
    ```

    ## Use instead
    ```python
    import torch


    @torch.no_grad()
    def predict(model, test_loader, device):
        model.eval()
        kept = []
        for inputs in test_loader:
            outputs = model(inputs.to(device, non_blocking=True))
            kept.append(outputs.argmax(dim=1))
        return torch.cat(kept)
    ```

    Reduce what is kept to what is needed: classes, a running count, a metric with a state of fixed size. Where whole
    outputs are needed, write them into host memory that was allocated, and pinned, before the loop.

    ## Confirmed by
    `torch.cuda.memory_allocated()` rises from batch to batch of the evaluation.

    ## Gain
    The memory of all kept outputs but one batch, twice where they are concatenated: rows × columns × bytes. Nothing
    for a small data set, or for few columns.

    ## References
    - Frequently asked questions, "My model reports cuda runtime error: out of memory":
      https://docs.pytorch.org/docs/stable/notes/faq.html
    """

    code = "TRN311"
    name = "outputs-kept-on-device"
    severity = Severity.ADVICE
    preview = True
    on = (".append",)
    unless = (outside_evaluation_loop, autograd_on, reduced, emptied_on_the_way)
    message = "`{list}` keeps the outputs of all batches on the GPU until the evaluation ends"
    help = "append only what is needed of an output, or copy it to the CPU"

    def found(self, site: Site) -> Match | None:
        """An output on the device that is appended to a list."""
        value = appended_output(site)
        if value is None or not value.on_device:
            return None
        return Match(site, level(value.confidence), {"list": site.text(site.receiver)})
