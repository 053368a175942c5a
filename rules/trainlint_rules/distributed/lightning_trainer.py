"""TRN522."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant, has_unpacked_arguments
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers

_LIGHTNING = ("lightning.", "pytorch_lightning.")
_REFRESHES = lazy(r"refresh_rate|enable_progress_bar|progress_bar_refresh_rate")
"""The project has a say in how often the progress bar is drawn."""
_PROFILERS = ("pytorch", "advanced")
_FULL = (32, "32", "32-true")
_Found = tuple[ast.expr | None, str, Severity, float]


class LightningTrainer(Rule):
    """Lightning that reduces, reads or records more in each step than the training needs

    ## Why
    `self.log(..., sync_dist=True)` in `training_step` reduces the value over all ranks in each step, one collective for
    each name, though loggers show it every `log_every_n_steps`. `prog_bar=True` turns the value into a Python number
    each time the bar is drawn, which is each step by default: the host waits for the device. A trainer with
    `detect_anomaly=True` or a profiler was set up to look for something, and is slow until that is taken out again. On
    a GPU without `precision`, matrix products run in float32.

    ## Example
    ```python
    import lightning as L
    import torch.nn.functional as F


    class Classifier(L.LightningModule):
        def training_step(self, batch, batch_idx):
            inputs, targets = batch
            loss = F.cross_entropy(self(inputs), targets)
            self.log("loss", loss, sync_dist=True)
            return loss
    ```

    ## Use instead
    ```python
    import lightning as L
    import torch.nn.functional as F


    class Classifier(L.LightningModule):
        def training_step(self, batch, batch_idx):
            inputs, targets = batch
            loss = F.cross_entropy(self(inputs), targets)
            self.log("loss", loss)
            return loss
    ```

    What rank 0 saw is enough for a curve of the training loss. For values that must be exact, log them with
    `on_step=False, on_epoch=True, sync_dist=True`: one reduction an epoch. A bar that is drawn less often,
    `TQDMProgressBar(refresh_rate=50)`, reads less often.

    ## Stays silent
    For `sync_dist` in validation, where it is right; for `on_step=False`; about the bar, where the file sets how often
    it is drawn; for settings that come from a variable; in tests.

    ## Confirmed by
    An all-reduce of one element, or `aten::_local_scalar_dense`, in each step below Lightning's result collection.

    ## Gain
    Not measured here. A reduction of one number costs tens of microseconds on one node and more over the network, and a
    read costs the host's lead over the device: nothing where a step takes hundreds of milliseconds.

    ## References
    - Logging, `sync_dist` and `prog_bar`: https://lightning.ai/docs/pytorch/stable/extensions/logging.html
    - Trainer: https://lightning.ai/docs/pytorch/stable/common/trainer.html
    """

    code = "TRN522"
    name = "lightning-trainer"
    severity = Severity.WARNING
    heat_matters = False
    preview = True
    triggers = Triggers(calls=frozenset({"Trainer", "log", "log_dict"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find values that are reduced or read in each step, and trainers that are set up to look for something."""
        if is_test_path(site.path):
            return
        found = _logged(site) if isinstance(site.call.func, ast.Attribute) and site.call.func.attr != "Trainer" else ()
        if (site.origin(site.call.func) or "").startswith(_LIGHTNING):
            found = _trainer(site)
        for node, message, severity, confidence in found:
            yield self.finding(site, message, at=node, confidence=confidence, severity=severity)


def _logged(site: Site) -> Iterator[_Found]:
    """`self.log` in the training step of a LightningModule."""
    function = site.function
    owner = function.owner if function is not None else None
    named = isinstance(site.call.func, ast.Attribute) and ast.unparse(site.call.func.value) == "self"
    if function is None or owner is None or not named or function.name != "training_step":
        return
    if constant(argument(site.call, "on_step")) is False:
        return
    together = argument(site.call, "sync_dist")
    if constant(together) is True:
        message = (
            "the value is reduced over all ranks in each step; log it without `sync_dist`, or with `on_step=False`"
        )
        yield together, message, Severity.WARNING, 0.9
    shown = argument(site.call, "prog_bar")
    value = argument(site.call, "value", 1)
    is_device = value is not None and site.value(value).on_device
    if constant(shown) is True and is_device and not site.file.says(_REFRESHES):
        message = (
            "the progress bar reads the value from the device each time it is drawn, in each step by default; draw it "
            "less often (`TQDMProgressBar(refresh_rate=50)`)"
        )
        yield shown, message, Severity.WARNING, 0.8


def _trainer(site: Site) -> Iterator[_Found]:
    call = site.call
    anomalies = argument(call, "detect_anomaly")
    if constant(anomalies) is True:
        message = (
            "`detect_anomaly` checks each operation of the backward pass; switch it on only while looking for a NaN"
        )
        yield anomalies, message, Severity.WARNING, 0.95
    profiler = argument(call, "profiler")
    if constant(profiler) in _PROFILERS:
        yield (
            profiler,
            "the profiler records all of training; switch it on only while you measure",
            Severity.WARNING,
            0.9,
        )
    strategy = argument(call, "strategy")
    if "find_unused_parameters_true" in str(constant(strategy)):
        message = (
            "each backward pass walks the graph once more to look for unused weights; leave it out unless the model "
            "skips some of its own"
        )
        yield strategy, message, Severity.WARNING, 0.8
    precision = argument(call, "precision")
    if constant(argument(call, "accelerator")) in ("gpu", "cuda") and not has_unpacked_arguments(call):
        if precision is None or constant(precision) in _FULL:
            message = 'it trains in float32; `precision="bf16-mixed"` (or "16-mixed" before Ampere) uses tensor cores'
            yield precision, message, Severity.ADVICE, 0.85
