"""TRN309."""

from __future__ import annotations

from collections.abc import Iterable

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, has_unpacked_arguments, last_name
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guard import early_guard
from trainlint.contract.guards.files import supports_older_than
from trainlint.finding import Edit, Safety
from trainlint.symptoms import Symptom

_SEQUENTIAL = "torch.utils.checkpoint.checkpoint_sequential"
_KNOWN = frozenset(
    {"preserve_rng_state", "determinism_check", "early_stop", "function", "functions", "segments", "input"}
)
"""Keywords that the reentrant implementation accepts; it refuses those of the checkpointed function."""
_FAILS = "`{name}` without `use_reentrant` raises an error for the keyword `{refused}`"
_SINCE = (1, 11)
"""The first PyTorch whose `checkpoint` takes `use_reentrant`."""


@early_guard
def _says_which(site: Site) -> bool:
    """`use_reentrant` is set, or may be in `*args` or `**kwargs`."""
    if site.origin(site.call.func) == _SEQUENTIAL:  # the only one of the two that takes it by position
        return argument(site.call, "use_reentrant", 3) is not None or has_unpacked_arguments(site.call)
    return any(item.arg in ("use_reentrant", None) for item in site.call.keywords)


class CheckpointWithoutUseReentrant(CallRule):
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

    `use_reentrant=True` keeps what the code does today and only silences the warning. The checkpointing of DeepSpeed,
    Megatron, Transformer Engine and FairScale is another function.

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
    aliases = ("TOR003",)
    in_tests = True
    confirmed_by = frozenset({Symptom.WARNING})
    warned_as = "use_reentrant"
    on = ("torch.utils.checkpoint.checkpoint", _SEQUENTIAL)
    unless = (supports_older_than(_SINCE), _says_which)
    message = (
        "`{name}` without `use_reentrant` is deprecated and warns; its default computes no gradients where no input "
        "requires one"
    )
    help = "pass `use_reentrant=False`"
    fix_title = "Pass `use_reentrant=False`"
    fix_safety = Safety.UNSAFE
    fix_needs = _SINCE

    def found(self, site: Site) -> Match:
        """Any call; with a keyword for the checkpointed function it fails."""
        refused = next((item.arg for item in site.call.keywords if item.arg not in _KNOWN), None)
        fields = {"name": last_name(site.call.func), "refused": refused}
        return Match(site, fields=fields, message=_FAILS if refused is not None else None)

    def edits(self, site: Site, match: Match) -> Iterable[Edit]:
        """`use_reentrant=False`."""
        from trainlint.fixing.rewrite import add_keyword

        yield add_keyword(site.source, site.call, "use_reentrant", "False", keyword_only=True)
