"""TRN212."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.contract.bases import CallRule
from trainlint.contract.confidence import level
from trainlint.contract.declared_rule import EACH_STEP, Match
from trainlint.symptoms import Symptom
from trainlint_rules.sync.idioms.progress import UPDATES, bar_reads, is_bar_update


class ProgressBarReadsEachStep(CallRule):
    """A progress bar that shows a device value in each training step.

    ## Why
    To show a loss, the bar needs its digits, so the host waits until the device has computed it: in each step, though a
    bar is redrawn ten times a second at most. tqdm's `mininterval` and `miniters` do not help: they delay the drawing,
    while the text is made on each call. A tensor given to `set_postfix` is read as surely as `loss.item()` is.

    ## Example
    ```python
    import torch
    from tqdm import tqdm


    def train(model, criterion, optimizer, train_loader, device):
        bar = tqdm(train_loader)
        for inputs, targets in bar:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            bar.set_postfix(loss=loss.item())
    ```

    ## Use instead
    ```python
    import torch
    from tqdm import tqdm


    def train(model, criterion, optimizer, train_loader, device):
        bar = tqdm(train_loader)
        for step, (inputs, targets) in enumerate(bar):
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 50 == 0:
                bar.set_postfix(loss=loss.item())
    ```

    Where the bar shows a mean, sum detached tensors on the device and read the sum in the same branch.

    ## Confirmed by
    `trainlint probe` counts the reads at this line, and tells from a trace of a GPU what a step gains without
    them. `aten::_local_scalar_dense` with a stream synchronisation at this line in each step of a profile.

    ## Gain
    What one wait costs is the host's lead over the device: the kernels that it had queued. That is much where a step
    is short or made of many small kernels, and nothing where the device is busy for hundreds of milliseconds anyway,
    or where the step waits for something else in any case. Not measured here: the probe is to say it for a run.

    ## References
    - `tqdm.set_postfix`: https://tqdm.github.io/docs/tqdm/#set_postfix
    - PyTorch performance tuning guide, "Avoid unnecessary CPU-GPU synchronization":
      https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    """

    code = "TRN212"
    name = "progress-bar-reads-each-step"
    happenings = frozenset()
    confirmed_by = frozenset({Symptom.HOST_SYNC})
    on = tuple(f".{name}" for name in sorted(UPDATES))
    when = EACH_STEP
    message = "`{text}` in the progress bar forces a GPU sync{often}"
    help = "update the bar every N steps"

    def found(self, site: Site) -> Match | None:
        """The first device tensor that an update of the bar reads."""
        reads = bar_reads(site.file, site.call, site.block) if is_bar_update(site.file, site.place) else ()
        return next((Match(site.at(node), level(sure)) for node, sure in reads), None)
