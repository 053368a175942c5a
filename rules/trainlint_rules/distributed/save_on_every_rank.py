"""TRN516."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.analysis.conditions.forms.ranks import speaks_of_rank
from trainlint.analysis.conditions.rank_ways import all_ranks_come_here
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Binding, Block, How
from trainlint.analysis.syntax.names import argument, last_name, names_in, nodes_in, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom

_FOLLOWED = 4
"""How many names are followed from the path back to what made it."""
_OWN = frozenset(
    {"BytesIO", "StringIO", "mkdtemp", "mkstemp", "NamedTemporaryFile", "TemporaryDirectory", "uuid4", "getpid"}
)
"""What each process has of its own."""
_SETTINGS = lazy(r"^(self|args?|cfg|config|opts?|hparams|params|settings|h|flags)$", re.IGNORECASE)
"""Parameters that hold the same on all ranks."""


class SaveOnEveryRank(Rule):
    """`torch.save` by all ranks of a distributed run into the same file

    ## Why
    Each process runs the line, and all of them write the same bytes to the same path at the same time: writes mix, and
    a checkpoint of a run that took days does not load. Where it goes well, the file system still takes each byte as
    often as there are processes, and all devices wait for the slowest writer. One rank should save; the others go on,
    or wait at a barrier if they need the file.

    ## Example
    ```python
    import sys

    import torch
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel


    def main(network, criterion, loader, local_rank):
        torch.cuda.set_device(local_rank)
        dist.init_process_group("nccl")
        model = DistributedDataParallel(network.to(local_rank), device_ids=[local_rank])
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
        for epoch in range(10):
            for inputs, targets in loader:
                loss = criterion(model(inputs), targets)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            torch.save(model.module.state_dict(), f"checkpoint_{epoch}.pt")
        dist.destroy_process_group()


    if __name__ == "__main__":
        main(*sys.argv)
    ```

    ## Use instead
    ```python
    import sys

    import torch
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel


    def main(network, criterion, loader, local_rank):
        torch.cuda.set_device(local_rank)
        dist.init_process_group("nccl")
        model = DistributedDataParallel(network.to(local_rank), device_ids=[local_rank])
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
        for epoch in range(10):
            for inputs, targets in loader:
                loss = criterion(model(inputs), targets)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            if dist.get_rank() == 0:
                torch.save(model.module.state_dict(), f"checkpoint_{epoch}.pt")
        dist.destroy_process_group()


    if __name__ == "__main__":
        main(*sys.argv)
    ```

    ## Stays silent
    Where a test on the way asks for the rank, in the function or around a call of it, or a decorator does; where the
    path holds the rank or comes from a function's caller out of sight; for buffers in memory; for sharded models, whose
    ranks each have something of their own to save; where a framework owns the loop, or no process group is in sight.

    ## Confirmed by
    `trainlint probe` lays the ranks of a run side by side and names those that save to the same file at this line,
    where the measured steps hold a save.

    ## Gain
    A checkpoint that loads. The time of the save where processes shared its bandwidth: not measured here.

    ## References
    - DDP tutorial, "Save and Load Checkpoints": https://docs.pytorch.org/tutorials/intermediate/ddp_tutorial.html
    """

    code = "TRN516"
    name = "save-on-every-rank"
    severity = Severity.ERROR
    preview = True
    heat_matters = False
    confirmed_by = frozenset({Symptom.SAME_FILE})
    triggers = Triggers(calls=frozenset({"save"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find saves that all ranks come to, with a path that is the same on all of them."""
        if site.origin(site.call.func) != "torch.save":
            return
        path = argument(site.call, "f", 1)
        if path is None or not _runs_on_several_ranks(site) or not all_ranks_come_here(site.file, site.block):
            return
        if not _is_same_file(path, site.block, _FOLLOWED):
            return
        yield self.finding(
            site,
            "each rank of this distributed run writes this same file at the same time; let one rank save",
            confidence=0.6 if is_test_path(site.path) else 0.8,
        )


def _runs_on_several_ranks(site: Site) -> bool:
    """Whether a process group is made around this place, and nothing but plain replicas is."""
    around = site.file.used_around(site.block, beside=True)
    kinds = {item.fact.kind for item in around}
    replicated = FactKind.DDP in kinds and FactKind.FSDP not in kinds
    return replicated and FactKind.ENTERED in kinds and FactKind.FRAMEWORK not in kinds


def _is_same_file(path: ast.expr, block: Block, depth: int) -> bool:
    """Whether a path is the same on all ranks, as far as the names in it are followed."""
    if not depth or any(speaks_of_rank(name) for name in names_in(path)):
        return False
    if any(last_name(part.func) in _OWN for part in nodes_in(path) if isinstance(part, ast.Call)):
        return False
    return all(
        _is_same_binding(binding, depth)
        for part in nodes_in(path)
        if isinstance(part, ast.Name)
        for binding in reaching(part.id, block, position(part))
    )


def _is_same_binding(binding: Binding, depth: int) -> bool:
    if binding.how is How.PARAMETER:
        return bool(_SETTINGS.search(binding.name))
    if binding.how is How.ASSIGN and binding.value is not None:
        return _is_same_file(binding.value, binding.block, depth - 1)
    return binding.how in (How.IMPORT, How.FOR, How.AUGMENT)
