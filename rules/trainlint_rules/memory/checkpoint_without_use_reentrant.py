"""TRN309."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, has_unpacked_arguments
from trainlint.finding import Finding, Fix, Safety, Severity
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom

_POSITION = {"torch.utils.checkpoint.checkpoint": None, "torch.utils.checkpoint.checkpoint_sequential": 3}
"""What checkpoints activations, and where `use_reentrant` stands among its positional arguments."""
_KNOWN = frozenset(
    {"preserve_rng_state", "determinism_check", "early_stop", "function", "functions", "segments", "input"}
)
"""Arguments by name that the old implementation does not refuse; others are those of the piece."""
_SINCE = (1, 11)
"""The first PyTorch whose `checkpoint` takes `use_reentrant`."""


class CheckpointWithoutUseReentrant(Rule):
    """Activation checkpointing that does not say which of its two implementations is meant

    ## Why
    Without `use_reentrant`, PyTorch takes the old implementation, prints a warning for it, and has announced that it
    will raise an error instead. The old one runs a backward inside the backward. Where no input of the piece requires a
    gradient, as behind a frozen embedding, its parameters get none and do not learn, with no more than a warning. It
    always recomputes the whole piece, raises an error for arguments of the piece that are given by name, does not work
    with `torch.autograd.grad`, and does not see what is detached from the graph inside of the piece.

    ## Example
    ```python
    import torch
    from torch.utils.checkpoint import checkpoint


    class Encoder(torch.nn.Module):
        def __init__(self, layers):
            super().__init__()
            self.layers = torch.nn.ModuleList(layers)

        def forward(self, hidden, mask):
            for layer in self.layers:
                hidden = checkpoint(layer, hidden, mask)
            return hidden
    ```

    ## Use instead
    ```python
    import torch
    from torch.utils.checkpoint import checkpoint


    class Encoder(torch.nn.Module):
        def __init__(self, layers):
            super().__init__()
            self.layers = torch.nn.ModuleList(layers)

        def forward(self, hidden, mask):
            for layer in self.layers:
                hidden = checkpoint(layer, hidden, mask, use_reentrant=False)
            return hidden
    ```

    `use_reentrant=True` keeps what the code does today and only silences the warning.

    ## Stays silent
    Where `use_reentrant` is given, or may be among `**kwargs`; for the checkpointing of DeepSpeed, Megatron,
    Transformer Engine and FairScale, and for functions of the project that are called so; where the project's oldest
    PyTorch is older than 1.11, whose `checkpoint` has no such argument.

    ## Fix safety
    The results are the same but for rounding where the piece computes twice the same. The new implementation checks
    that the recomputed tensors have the shapes and types of the first ones, and raises an error where a piece does
    not compute the same twice. Parameters that got no gradient before begin to learn.

    ## Confirmed by
    `trainlint probe` notes PyTorch's warning at this line, "the use_reentrant parameter should be passed
    explicitly". Else parameters of the piece whose `grad` stays `None`.

    ## Gain
    Gradients where there were none, and a program that the announced error does not stop. The new implementation
    stops recomputing as soon as it has all that the backward needs; what this saves was not measured here, and it
    is nothing where the last operation's inputs are needed.

    ## References
    - `torch.utils.checkpoint`, with the differences between the two:
      https://docs.pytorch.org/docs/stable/checkpoint.html
    """

    code = "TRN309"
    name = "checkpoint-without-use-reentrant"
    severity = Severity.WARNING
    fix_safety = Safety.UNSAFE
    heat_matters = False
    confirmed_by = frozenset({Symptom.WARNING})
    warned_as = "use_reentrant"
    triggers = Triggers(calls=frozenset({"checkpoint", "checkpoint_sequential"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find calls of PyTorch's own checkpointing that surely leave `use_reentrant` out."""
        origin = site.origin(site.call.func) or ""
        if origin not in _POSITION or site.lacks(_SINCE):
            return
        if argument(site.call, "use_reentrant", _POSITION[origin]) is not None or _may_be_hidden(site, origin):
            return
        takes = f"`{origin.rpartition('.')[2]}` without `use_reentrant` takes the old implementation"
        refused = next((item.arg for item in site.call.keywords if item.arg not in _KNOWN), None)
        message = (
            f"{takes} and warns: what it runs gets no gradients where none of its inputs requires one; write "
            "`use_reentrant=False`"
        )
        if refused is not None:
            message = f"{takes}, which raises an error for `{refused}=`; write `use_reentrant=False`, which takes it"
        yield self.finding(
            site,
            message,
            confidence=0.95,
            fix=partial(_fix, site),
            fix_needs=_SINCE,
        )


def _may_be_hidden(site: Site, origin: str) -> bool:
    """Whether unpacked arguments may hold it: those by name, or by position where it has one."""
    if any(keyword.arg is None for keyword in site.call.keywords):
        return True
    return _POSITION[origin] is not None and has_unpacked_arguments(site.call)


def _fix(site: Site) -> Fix | None:
    from trainlint.fixing.rewrite import add_keyword, attempt

    return attempt(
        lambda: Fix(
            "Take the new implementation",
            (add_keyword(site.source, site.call, "use_reentrant", "False"),),
            Safety.UNSAFE,
        )
    )
