"""TRN502."""

from __future__ import annotations

from trainlint.analysis.effects.collectives import collective
from trainlint.analysis.site import Site
from trainlint.analysis.tables.collectives import OF_OBJECTS
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import EACH_STEP, Match
from trainlint.finding import Confidence
from trainlint.symptoms import Symptom
from trainlint_rules.distributed.idioms.collectives.pickled import SENDING, sends_pickled
from trainlint_rules.distributed.idioms.collectives.seldom_functions import (
    runs_seldom_by_name,
)

_BY_HAND = "`{name}` pickles objects on the CPU and sends them{often}; unpickling forces GPU syncs"


class ObjectCollectiveInStep(CallRule):
    """Python objects that are pickled and sent between ranks in each step

    ## Why
    `all_gather_object` and its kin pickle each object on the CPU, exchange the sizes, send the bytes padded to the
    largest, and unpickle all of them. With NCCL the bytes are copied to the GPU and back, and each copy back makes
    the CPU wait for the GPU: the step stands still. With gloo the CPU waits for the other ranks. A tensor needs
    one collective and no wait. The same holds where a function pickles objects itself and sends the bytes as a tensor.

    ## Example
    ```python
    import torch.distributed as dist


    def train(model, optimizer, loader):
        for batch in loader:
            loss = model(batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            counts = [None] * dist.get_world_size()
            dist.all_gather_object(counts, len(batch))
            record(sum(counts))
    ```

    ## Use instead
    ```python
    import torch
    import torch.distributed as dist


    def train(model, optimizer, loader, device):
        count = torch.zeros((), dtype=torch.int64, device=device)
        for batch in loader:
            loss = model(batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            count.fill_(len(batch))
            dist.all_reduce(count)
            record(count)
    ```

    ## Confirmed by
    `trainlint probe` times the collective at this line, for which the CPU waits. `aten::item` and `Memcpy DtoH` below
    the collective in each step of a profile.

    ## Gain
    For one number, with gloo on one machine: 2.46 ms as an object, 0.96 ms as a tensor. On a GPU the waiting weighs
    more; not measured here. Nothing where the objects are large and the steps long.

    ## References
    - `torch.distributed.all_gather_object`, with a note on its cost:
      https://docs.pytorch.org/docs/stable/distributed.html#torch.distributed.all_gather_object
    """

    code = "TRN502"
    name = "object-collective-in-step"
    confirmed_by = frozenset({Symptom.COLLECTIVE})
    on = (*sorted(OF_OBJECTS), *SENDING)
    when = EACH_STEP
    sure = Confidence.LIKELY
    unless = (runs_seldom_by_name,)
    message = "`{name}` pickles objects on the CPU{often}, and over NCCL forces two GPU syncs"
    help = "send a tensor instead, or send the objects every N steps"

    def found(self, site: Site) -> Match | None:
        """A collective of Python objects, or of bytes that the function has pickled itself."""
        sent = collective(site.file, site.call, site.block)
        if sent is None:
            return None
        if sent.of_objects:
            return Match(site, fields={"name": sent.name})
        return Match(site, fields={"name": sent.name}, message=_BY_HAND) if sends_pickled(site) else None
