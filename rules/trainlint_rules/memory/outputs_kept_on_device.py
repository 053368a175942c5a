"""TRN311."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.effects.accumulation import loop_around
from trainlint.analysis.programs.steps import LoopKind
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import dotted, last_name, nodes_in
from trainlint.analysis.tables.host_reads import TO_HOST
from trainlint.analysis.types.values import Home, Kind, Origin
from trainlint.finding import Finding, Severity
from trainlint.rule import Rule, Triggers
from trainlint_rules.memory.idioms.lifetimes import Lifetime, lifetime

_SMALL = TO_HOST | frozenset(
    "mean sum argmax argmin max min amax amin norm size numel topk sort argsort any all prod "
    "count_nonzero var std median".split()
)
"""What makes an output small, or takes it to the host."""


class OutputsKeptOnDevice(Rule):
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

    ## Stays silent
    For what is reduced, or copied to the host; for what starts anew in each round; where the graph is kept, too, which
    TRN304 finds; in training loops; for values that are not surely on the device; in tests.

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
    heat_matters = False
    triggers = Triggers(calls=frozenset({"append"}))
    preview = True

    def check(self, site: Site) -> Iterator[Finding]:
        """Find lists to which each round of an evaluation adds a whole output."""
        call = site.call
        if is_test_path(site.path) or not isinstance(call.func, ast.Attribute) or len(call.args) != 1:
            return
        loop = loop_around(site.block)
        if loop is None or site.file.loops.kind(loop) is not LoopKind.EVAL or not site.gradients_off:
            return
        if site.value(call.func.value).kind is not Kind.CONTAINER or _is_small(call.args[0]):
            return
        value = site.value(call.args[0])
        if not value.is_tensor or value.home is not Home.DEVICE or value.origin is not Origin.OUTPUT:
            return
        if lifetime(site.file, site.place, call.func.value, loop) is not Lifetime.LOOP:
            return
        holder = dotted(call.func.value) or "this list"
        yield self.finding(
            site,
            f"`{holder}` keeps the outputs of all batches on the device until the evaluation is over; keep what is "
            "needed of them, or write them into host memory",
            confidence=0.95 * value.confidence,
        )


def _is_small(added: ast.expr) -> bool:
    """Whether something on the way reduces an output or takes it away."""
    return any(isinstance(part, ast.Call) and last_name(part.func) in _SMALL for part in nodes_in(added))
