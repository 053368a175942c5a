"""TRN806."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.arguments import given_unpacked
from trainlint.contract.guards.files import supports_older_than
from trainlint.finding import Confidence, Severity
from trainlint_rules.api.idioms.guards import pickled_otherwise, supports_none_before

_FIRST_WITH_IT = (1, 13)
_ON_SINCE = (2, 6)


class LoadWithoutWeightsOnly(CallRule):
    """`torch.load` without `weights_only` in a project that runs on PyTorch older than 2.6

    ## Why
    Before PyTorch 2.6, `torch.load` unpickles whatever the file holds, and a pickle can run any program: a checkpoint
    from elsewhere is code from elsewhere. Since 2.6 only tensors and plain containers are read unless
    `weights_only=False` is given, so the same line behaves in two ways within the versions that the project targets: it
    loads a whole pickled object on the old ones and raises on the new ones. Said out loud, it does one thing. A project
    that names no versions is taken to run a new one: its findings are advice.

    ## Example
    ```python
    import torch


    def resume(model, path):
        model.load_state_dict(torch.load(path, map_location="cpu"))
    ```

    ## Use instead
    ```python
    import torch


    def resume(model, path):
        model.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    ```

    For files that hold more, name the classes with `torch.serialization.add_safe_globals`, or write
    `weights_only=False` where you made the file yourself.

    ## Confirmed by
    A FutureWarning of `torch.load` in PyTorch 2.4 and 2.5; nothing in other versions.

    ## Gain
    None in speed: one behaviour on all versions, and no foreign code run by a checkpoint.

    ## References
    - `torch.load`: https://docs.pytorch.org/docs/stable/generated/torch.load.html
    - Change of the default: https://dev-discuss.pytorch.org/t/bc-breaking-change-torch-load-is-being-flipped-to-use-weights-only-true-by-default-in-the-nightlies-after-137602/2573
    """

    code = "TRN806"
    name = "load-without-weights-only"
    aliases = ("TOR102",)
    preview = True
    on = ("torch.load", "torch.serialization.load")
    in_tests = True
    unless = (supports_older_than(_FIRST_WITH_IT), supports_none_before(_ON_SINCE), pickled_otherwise, given_unpacked)
    message = "PyTorch before 2.6 runs any code in this file; newer versions read only tensors"
    help = (
        "pass `weights_only=True` if the file holds only tensors, numbers, text and containers of them; "
        "pass `weights_only=False` for other files that you trust"
    )

    def found(self, site: Site) -> Match | None:
        """A call that leaves the choice to the version."""
        if argument(site.call, "weights_only") is not None:
            return None
        return Match(site) if site.lacks(_ON_SINCE) else Match(site, Confidence.LIKELY, severity=Severity.ADVICE)
