"""TRN210."""

from __future__ import annotations

import ast
from dataclasses import replace

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name, nodes_in
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import EACH_STEP, Match
from trainlint.contract.guard import guard
from trainlint.finding import Confidence, Heat
from trainlint.interpreter.machine.events import Happening
from trainlint.symptoms import Symptom
from trainlint_rules.sync.idioms.copies_to_host import COPYING, copy_to_host
from trainlint_rules.sync.idioms.reads.advice import instead_of_copy
from trainlint_rules.sync.idioms.reads.read_guards import (
    COPIED_FOR_A_PURPOSE,
    OUTSIDE_OF_FORWARD,
    only_without_cuda,
    says_whether_to_wait,
)

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing the run takes long, and a rule needs only its result
    from trainlint.interpreter.operations import Operation

_ESTIMATOR = frozenset(
    {"fit", "predict", "predict_proba", "decision_function", "transform", "fit_transform", "kneighbors"}
)
"""Methods of scikit-learn's estimators, which compute on the host alone."""


@guard
def _feeds_estimator(site: Site) -> bool:
    """A scikit-learn estimator gets the copy."""
    calls = [part for part in nodes_in(site.statement) if isinstance(part, ast.Call)]
    fed = [item for call in calls if last_name(call.func) in _ESTIMATOR for item in call.args]
    return any(part is site.node for item in fed for part in nodes_in(item))


class DeviceHopInForward(CallRule):
    """A device tensor copied to the host in the middle of a forward pass or a loss

    ## Why
    `.cpu()`, `.tolist()` and `.to("cpu")` wait until the device has computed everything before them. In the middle of
    the network, what follows cannot be queued before the copy has arrived, so the device idles in each forward pass,
    often in each layer. `torch.compile` breaks its graph there, and no gradient flows through NumPy.
    TRN201 and TRN203 report reads of single numbers.

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

    ## Confirmed by
    `trainlint probe` counts the copies at this line, and tells from a trace of a GPU what a step gains
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
    happenings = frozenset({Happening.COPY_TO_HOST, Happening.TO_LIST, Happening.TO_NUMPY})
    confirmed_by = frozenset({Symptom.HOST_SYNC})
    on = COPYING
    # Of the forward passes that no training step is seen to run, half serve inference or set-up alone.
    when = EACH_STEP | {Heat.UNKNOWN: Confidence.POSSIBLE}
    unless = (
        says_whether_to_wait,
        only_without_cuda,
        _feeds_estimator,
        *COPIED_FOR_A_PURPOSE,
        OUTSIDE_OF_FORWARD,
    )
    message = "`{text}` in a forward pass or loss copies to the CPU and forces a GPU sync{often}"
    help = "compute this on the GPU, or take it from the batch before the copy to the GPU"

    def of_operation(self, site: Site, operation: Operation) -> Match | None:
        """A copy to the host in a forward pass."""
        return Match(site, help=instead_of_copy(site)) if operation.in_forward else None

    def found(self, site: Site) -> Match | None:
        """A copy to the host of what may be a device tensor."""
        found = copy_to_host(site)
        return replace(found, help=instead_of_copy(site)) if found is not None else None
