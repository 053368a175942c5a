"""TRN502."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.analysis.conditions.branches import stands_in_else_of
from trainlint.analysis.effects.collectives import collective
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name, nodes_in
from trainlint.analysis.tables.collectives import OF_OBJECTS
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import IN_STEP, Rule, Triggers
from trainlint.symptoms import Symptom

_SELDOM = lazy(r"(^|_)(print|log|summar|report|save|load|checkpoint|generate|rollout|setup|init|eval)", re.I)
"""Words of functions that run seldom, or whose own work outweighs the collective by far."""
_HEAVY = lazy(r"^(generate|rollout|chat)$")


class ObjectCollectiveInStep(Rule):
    """Python objects that are pickled and sent between ranks in each step

    ## Why
    `all_gather_object` and its kin pickle each object on the host, exchange the sizes, send the bytes padded to the
    largest, and unpickle all of them. With NCCL the bytes are copied to the device and back, and each copy back makes
    the host wait for the device: the step stands still. With gloo the host waits for the other ranks. A tensor needs
    one collective and no wait.

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

    ## Stays silent
    Behind an interval, once an epoch, in set-up and evaluation; in functions that save, log or generate.

    ## Confirmed by
    `trainlint probe` times the collective at this line, for which the host waits. `aten::item` and `Memcpy DtoH` below
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
    severity = Severity.WARNING
    confirmed_by = frozenset({Symptom.COLLECTIVE})
    triggers = Triggers(calls=OF_OBJECTS, heats=IN_STEP)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find collectives of objects on the way of each step."""
        found = collective(site.file, site.call, site.block)
        if found is None or not site.heat.heat.in_step or is_test_path(site.path) or _outweighed(site):
            return
        if _is_other_side(site):
            return
        yield self.finding(
            site,
            f"`{found.name}` pickles on the host in each step, and with NCCL waits for the device twice; send a tensor "
            "instead, or do it once in a while",
            confidence=0.85,
        )


def _outweighed(site: Site) -> bool:
    """Whether the function around runs seldom by its name, or generates text, which takes far longer."""
    function = site.function
    if function is None:
        return False
    if _SELDOM.search(function.name):
        return True
    calls = (part for part in nodes_in(function.node) if isinstance(part, ast.Call))
    return any(_HEAVY.search(last_name(part.func)) for part in calls)


def _is_other_side(site: Site) -> bool:
    """Whether this is the `else` of a test whose other branch makes the same call: one collective, written twice."""
    return any(stands_in_else_of(site.block, other.block) for other in site.calls(last_name(site.call.func)))
