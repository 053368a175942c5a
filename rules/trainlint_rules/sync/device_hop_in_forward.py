"""TRN210."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.effects.guarded_reads import decided_by_callers
from trainlint.analysis.effects.reads import explicit_read
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, last_name, nodes_in
from trainlint.analysis.tables.host_reads import COPIES
from trainlint.analysis.types.values import Home, Kind
from trainlint.finding import Finding, Heat, Severity
from trainlint.rule import IN_STEP, Rule, Triggers
from trainlint.symptoms import Symptom
from trainlint_rules.sync.idioms.progress import shown_by_bar
from trainlint_rules.sync.idioms.read_purposes import Purpose, copy_purpose

_UNSEEN = 0.7
"""A forward pass that no training step is seen to run: half of those that were read serve inference or set-up alone."""

_ESTIMATOR = frozenset(
    {"fit", "predict", "predict_proba", "decision_function", "transform", "fit_transform", "kneighbors"}
)
"""Methods of scikit-learn's estimators, which compute on the host alone."""


class DeviceHopInForward(Rule):
    """A device tensor copied to the host in the middle of a forward pass or a loss

    ## Why
    `.cpu()`, `.tolist()` and `.to("cpu")` wait until the device has computed everything before them. In the middle of
    the network, what follows cannot be queued before the copy has arrived, so the device idles in each forward pass,
    often in each layer. `torch.compile` breaks its graph there, and no gradient flows through NumPy.

    ## Example
    ```python
    import torch
    from torch import nn


    class Encoder(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.recurrent = nn.LSTM(width, width)

        def forward(self, features, mask):
            packed = nn.utils.rnn.pack_padded_sequence(features, mask.sum(1).cpu(), enforce_sorted=False)
            return self.recurrent(packed)[0].data.mean()


    def train(loader, device):
        model = Encoder(64).to(device)
        optimizer = torch.optim.AdamW(model.parameters(), fused=True)
        for features, mask in loader:
            features = features.to(device, non_blocking=True)
            mask = mask.to(device, non_blocking=True)
            loss = model(features, mask)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch
    from torch import nn


    class Encoder(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.recurrent = nn.LSTM(width, width)

        def forward(self, features, lengths):
            packed = nn.utils.rnn.pack_padded_sequence(features, lengths, enforce_sorted=False)
            return self.recurrent(packed)[0].data.mean()


    def train(loader, device):
        model = Encoder(64).to(device)
        optimizer = torch.optim.AdamW(model.parameters(), fused=True)
        for features, lengths in loader:
            features = features.to(device, non_blocking=True)
            loss = model(features, lengths)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    Lengths that the host needs stay on the host: the collate function has them there, and they need not be moved to the
    device at all. Choices between values can stay on the device: `torch.where`, `masked_fill`.

    ## Stays silent
    For what an estimator of scikit-learn is given; in post-processing and inference; at intervals; for tensors that are
    on the host already and for copies with `non_blocking=True`. Outside of forward passes and losses, TRN202 speaks;
    for single numbers, TRN201 and TRN203.

    ## Confirmed by
    `trainlint probe` counts and times the copies at this line, and tells from a trace of a GPU what a step gains
    without them. A device-to-host copy with a stream synchronisation at this line in the forward pass of a profile, and
    a graph break at it with `TORCH_LOGS=graph_breaks`.

    ## Gain
    One wait in each forward pass, and one graph break; what that costs depends on the network. Not measured here.
    Where an algorithm exists only on the host, as the Hungarian matching of SciPy does, one copy for all layers is
    what is left to gain.

    ## References
    - PyTorch performance tuning guide, "Avoid unnecessary CPU-GPU synchronization":
      https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    - `pack_padded_sequence` wants its lengths on the host:
      https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.pack_padded_sequence.html
    """

    code = "TRN210"
    name = "device-hop-in-forward"
    severity = Severity.WARNING
    confirmed_by = frozenset({Symptom.HOST_SYNC})
    triggers = Triggers(calls=COPIES | {"to"}, heats=IN_STEP | {Heat.UNKNOWN})

    def check(self, site: Site) -> Iterator[Finding]:
        """Find copies to the host of a device tensor in code that computes an output or a loss."""
        call, heat = site.call, site.heat.heat
        if not (heat.in_step or heat is Heat.UNKNOWN) or not isinstance(call.func, ast.Attribute):
            return
        name = call.func.attr
        if not _goes_to_host(site):
            return
        value = site.value(call.func.value)
        if argument(call, "non_blocking") is not None or value.kind is Kind.UNKNOWN:
            return
        if decided_by_callers(site.file, call, site.block) or _feeds_estimator(site):
            return
        if copy_purpose(site.file, call, site.block, site.statement) is not Purpose.FORWARD_ON_HOST:
            return
        confidence = explicit_read(value, site.file.device)
        if confidence and not shown_by_bar(site.file, call, site.statement):
            spelling = '.to("cpu")' if name == "to" else f".{name}()"
            message = (
                f"`{spelling}` in the middle of the forward pass or the loss waits for the device, and the device then "
                "waits for the host; compute this on the device, or bring it from the data loader on the host"
            )
            sure = confidence if heat.in_step else confidence * _UNSEEN
            yield self.finding(site, message, confidence=sure)


def _goes_to_host(site: Site) -> bool:
    """Whether the call copies to the host, as `cpu` and `tolist` always do."""
    name = last_name(site.call.func)
    return name != "to" or site.file.kinds.device_argument(site.call, site.block) is Home.HOST


def _feeds_estimator(site: Site) -> bool:
    """Whether the copy is an argument of an estimator's method."""
    return any(
        isinstance(outer, ast.Call)
        and isinstance(outer.func, ast.Attribute)
        and outer.func.attr in _ESTIMATOR
        and any(part is site.node for item in outer.args for part in nodes_in(item))
        for outer in nodes_in(site.statement)
    )
