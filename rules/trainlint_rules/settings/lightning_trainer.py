"""TRN522."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, last_name
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guard import early_guard
from trainlint.rule import Triggers
from trainlint_rules.settings.idioms import trainer_arguments
from trainlint_rules.settings.idioms.framework_settings import LIGHTNING, REDUCED, SHOWN
from trainlint_rules.settings.idioms.setting_rows import claims, matches


@early_guard
def _once_an_epoch(site: Site) -> bool:
    """The value is logged once an epoch (`on_step=False`)."""
    return site.settings.literal("on_step") is False


class LightningTrainer(CallRule):
    """Lightning that reduces or reads more in each step than the training needs

    ## Why
    `self.log(..., sync_dist=True)` in `training_step` reduces the value over all ranks in each step, one collective for
    each name, though loggers show it every `log_every_n_steps`. `prog_bar=True` turns the value into a Python number
    each time the bar is drawn, which is each step by default: the CPU waits for the GPU. On a GPU without
    `precision`, matrix products run in float32. Settings that come from a variable are not judged. Arguments of the
    trainer are read in files of YAML, too, where `accelerator` and `devices` stand.

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

    ## Confirmed by
    An all-reduce of one element, or `aten::_local_scalar_dense`, in each step below Lightning's result collection.

    ## Gain
    Not measured here. A reduction of one number costs tens of microseconds on one node and more over the network, and a
    read costs the time by which the CPU was ahead of the GPU: nothing where a step takes hundreds of milliseconds.

    ## References
    - Logging, `sync_dist` and `prog_bar`: https://lightning.ai/docs/pytorch/stable/extensions/logging.html
    - Trainer: https://lightning.ai/docs/pytorch/stable/common/trainer.html
    """

    code = "TRN522"
    name = "lightning-trainer"
    preview = True
    on = ("lightning.*.Trainer", "pytorch_lightning.*.Trainer", ".log", ".log_dict")
    also = Triggers(dicts=frozenset({"accelerator"}))
    unless = (_once_an_epoch,)
    message = "{fact}"
    help = "{instead}"

    def found(self, site: Site) -> Iterator[Match]:
        """Values that are reduced or read in each step, and trainers in float32."""
        if isinstance(site.node, ast.Dict) or last_name(site.call.func) == "Trainer":
            yield from matches(site, claims(site.settings, LIGHTNING))
            if isinstance(site.node, ast.Call):
                yield from trainer_arguments.lightning_float32(site)
        elif trainer_arguments.logs_in_training_step(site):
            value = argument(site.call, "value", 1)
            is_tensor = value is not None and site.value(value).is_tensor
            yield from matches(site, claims(site.settings, (REDUCED, SHOWN) if is_tensor else (REDUCED,)))
