"""TRN210."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.contract.declared_rule import Match
from trainlint.contract.operation_rule import OperationRule
from trainlint.interpreter.machine.events import Happening
from trainlint.symptoms import Symptom

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing the run takes long, and a rule needs only its result
    from trainlint.interpreter.operations import Operation


class DeviceHopInForward(OperationRule):
    """A GPU tensor copied to the CPU in the middle of a forward pass or a loss

    ## Why
    `.cpu()`, `.tolist()` and `.to("cpu")` wait until the GPU has computed everything before them. In the middle of the
    network, what follows cannot be queued until the copy has arrived. The GPU is idle in each forward pass, often in
    each layer. `torch.compile` breaks its graph there, and no gradient flows through NumPy. TRN201 and TRN203 report
    reads of single numbers.

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

    Keep lengths that the CPU needs on the CPU: the collate function has them there, and nothing has to move them to the
    GPU. To choose between values, stay on the GPU: `torch.where`, `masked_fill`.

    ## Confirmed by
    `trainlint probe` counts the copies at this line. On a GPU it also tells from a trace what a step gains without
    them. In a profile: a copy from the GPU with a stream synchronisation at this line in the forward pass. With
    `TORCH_LOGS=graph_breaks`, a graph break at this line.

    ## Gain
    One wait in each forward pass, and one graph break; their cost depends on the network. Where an algorithm exists
    only on the CPU, as the Hungarian matching of SciPy does, the most you can gain is one copy for all layers. Not
    measured here; `trainlint probe` measures it on your run.

    ## References
    - PyTorch performance tuning guide, "Avoid unnecessary CPU-GPU synchronization":
      https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    - `pack_padded_sequence` wants its lengths on the CPU:
      https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.pack_padded_sequence.html
    """

    code = "TRN210"
    name = "device-hop-in-forward"
    happenings = frozenset({Happening.COPY_TO_HOST, Happening.TO_LIST, Happening.TO_NUMPY})
    confirmed_by = frozenset({Symptom.HOST_SYNC})
    message = "`{text}` copies to the CPU in a forward pass or loss and forces a GPU sync{often}"
    help = "compute this on the GPU, or take it from the batch before the copy to the GPU"

    def of_operation(self, site: Site, operation: Operation) -> Match | None:
        """A copy to the host in a forward pass."""
        return Match(site) if operation.in_forward else None
