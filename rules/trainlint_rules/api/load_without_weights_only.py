"""TRN806."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, has_unpacked_arguments
from trainlint.finding import Finding, Fix, Safety, Severity
from trainlint.rule import Rule, Triggers

_SAFE_SINCE = (2, 6)
"""The first version in which `weights_only` is true unless given."""
_FIRST_WITH_IT = (1, 13)


class LoadWithoutWeightsOnly(Rule):
    """`torch.load` without `weights_only` in a project that runs on PyTorch older than 2.6

    ## Why
    Before PyTorch 2.6, `torch.load` unpickles whatever the file holds, and a pickle can run any program: a checkpoint
    from elsewhere is code from elsewhere. Since 2.6 only tensors and plain containers are read unless
    `weights_only=False` is given, so the same line behaves in two ways within the versions that the project targets:
    it loads a whole pickled object on the old ones and raises on the new ones. Said out loud, it does one thing.

    ## Example
    ```python
    import torch


    def resume(model, path):
        state = torch.load(path, map_location="cpu")
        model.load_state_dict(state["model"])
    ```

    ## Use instead
    ```python
    import torch


    def resume(model, path):
        state = torch.load(path, map_location="cpu", weights_only=True)
        model.load_state_dict(state["model"])
    ```

    For files that hold more, name the classes with `torch.serialization.add_safe_globals`, or write
    `weights_only=False` where you made the file yourself.

    ## Stays silent
    Where the project's oldest PyTorch is 2.6 or newer; where it is older than 1.13, which lacks the argument; where
    arguments are unpacked or `pickle_module` is given. A project that names no versions is taken to run a new one: its
    findings are shown, as advice.

    ## Fix safety
    A file that holds anything but tensors and plain containers is refused: whole pickled models, NumPy scalars,
    optimizers' own classes. Try it with your files.

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
    severity = Severity.WARNING
    fix_safety = Safety.UNSAFE
    heat_matters = False
    aliases = ("TOR102",)
    preview = True
    triggers = Triggers(calls=frozenset({"load"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find calls of `torch.load` that leave the choice to the version."""
        call, target = site.call, site.file.config.target_torch
        if site.origin(call.func) not in ("torch.load", "torch.serialization.load"):
            return
        if target is not None and (target.lacks(_FIRST_WITH_IT) or target.has(_SAFE_SINCE)):
            return
        if argument(call, "weights_only") is not None or argument(call, "pickle_module", 2) is not None:
            return
        if has_unpacked_arguments(call):
            return
        message = (
            "before PyTorch 2.6 `torch.load` runs any code that the file holds, and since then it refuses all but "
            "tensors: say which with `weights_only=`"
        )
        affected = target is not None and target.lacks(_SAFE_SINCE)
        yield self.finding(
            site,
            message,
            confidence=0.9 if affected else 0.7,
            severity=self.severity if affected else Severity.ADVICE,
            fix=partial(_fix, site),
            fix_needs=_FIRST_WITH_IT,
        )


def _fix(site: Site) -> Fix | None:
    from trainlint.fixing.rewrite import add_keyword, attempt

    return attempt(
        lambda: Fix("Load tensors alone", (add_keyword(site.source, site.call, "weights_only", "True"),), Safety.UNSAFE)
    )
