"""TRN517."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.effects.collectives import collective
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers
from trainlint_rules.distributed.idioms.process_groups import group_start, owned_by_framework

_CHOOSES = lazy(r"set_device|CUDA_VISIBLE_DEVICES|cuda\.device\(|device_index")
"""What may choose the device, out of sight of the way too."""
_MOVES = frozenset({"cuda", "to", "device"})


class DeviceNotSet(Rule):
    """A process group over NCCL in processes that never choose their GPU

    ## Why
    NCCL wants one GPU for each process. What has no tensor to tell by, as `barrier()` and the collectives of objects,
    takes the current device, and so does `.cuda()`: GPU 0 in every process, until one calls `set_device`. Then all
    ranks meet on GPU 0, which fails with `Duplicate GPU detected`, hangs, or costs the first GPU a context of some
    hundred MB for each of the others. PyTorch warns that it guesses the device, and that a wrong guess hangs.

    ## Example
    ```python
    import os

    import torch
    import torch.distributed as dist


    def main():
        local_rank = int(os.environ["LOCAL_RANK"])
        dist.init_process_group("nccl")
        model = torch.nn.Linear(512, 512).to(f"cuda:{local_rank}")
        dist.barrier()
        dist.destroy_process_group()
        return model


    if __name__ == "__main__":
        main()
    ```

    ## Use instead
    ```python
    import os

    import torch
    import torch.distributed as dist


    def main():
        local_rank = int(os.environ["LOCAL_RANK"])
        torch.cuda.set_device(local_rank)
        dist.init_process_group("nccl", device_id=torch.device("cuda", local_rank))
        model = torch.nn.Linear(512, 512).to(f"cuda:{local_rank}")
        dist.barrier()
        dist.destroy_process_group()
        return model


    if __name__ == "__main__":
        main()
    ```

    Either of the two lines is enough; `device_id` exists since PyTorch 2.3 and starts NCCL at once.

    ## Stays silent
    Where anything on the way to the group or away from it chooses a device, by `set_device`, `device_id`,
    `with torch.cuda.device(...)` or `CUDA_VISIBLE_DEVICES`; where the way does not start in sight or a framework owns
    it; for a group of one process. Quietly, below the default confidence, where nothing in the file would guess, and in
    tests.

    ## Confirmed by
    A warning of ProcessGroupNCCL about a guessed device, and several processes on GPU 0 in `nvidia-smi`.

    ## Gain
    Runs that do not hang or fail at the first collective; memory of a CUDA context for each process on the first GPU.
    Not measured here. Nothing where a launcher shows each process one GPU.

    ## References
    - `init_process_group` and its `device_id`:
      https://docs.pytorch.org/docs/stable/distributed.html#torch.distributed.init_process_group
    """

    code = "TRN517"
    name = "device-not-set"
    severity = Severity.WARNING
    heat_matters = False
    triggers = Triggers(calls=frozenset({"init_process_group"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find groups over NCCL with nothing around them that chooses a device."""
        start = group_start(site.file, site.place)
        if start is None or start.alone or not start.in_sight or "nccl" not in (start.backend or ""):
            return
        if argument(start.call, "device_id") is not None or site.file.says(_CHOOSES):
            return
        if not _is_left_open(site):
            return
        guess = _guess(site.file)
        where = (
            f"`{guess[0]}` in line {guess[1]} takes GPU 0 on every rank or guesses"
            if guess is not None
            else ("what has no tensor to tell by takes GPU 0 on every rank")
        )
        yield self.finding(
            site,
            f"no process chooses its GPU before or after this, so {where}; call `torch.cuda.set_device` with the local "
            "rank first",
            confidence=0.85 if guess is not None and not is_test_path(site.path) else 0.6,
        )


def _is_left_open(site: Site) -> bool:
    """Whether all of the way to this place is in sight, with nothing on it that chooses a device."""
    kinds = {item.fact.kind for item in site.file.used_around(site.block, beside=True)}
    if FactKind.ENTERED not in kinds or FactKind.DEVICE_CHOSEN in kinds:
        return False
    return not owned_by_framework(site.file, site.block)


def _guess(file: SemanticModel) -> tuple[str, int] | None:
    """The first place of the file that takes the current device, as it is written, and its line."""
    found = []
    for place in file.outline.all_calls():
        call = place.node
        assert isinstance(call, ast.Call)
        known = collective(file, call, place.block)
        if known is not None and (known.tensor is None or known.of_objects):
            if argument(call, "device_ids") is None and known.group is None:
                found.append((call.lineno, f"{known.name}()"))
        elif isinstance(call.func, ast.Attribute) and call.func.attr in _MOVES and _names_no_index(call):
            found.append((call.lineno, f".{call.func.attr}(...)" if call.args else f".{call.func.attr}()"))
    return (min(found)[1], min(found)[0]) if found else None


def _names_no_index(call: ast.Call) -> bool:
    """Whether a call moves to the current device: `.cuda()`, `.to("cuda")`, `torch.device("cuda")`."""
    if len(call.args) == 1:
        return constant(call.args[0]) == "cuda"
    return not call.args and not call.keywords and isinstance(call.func, ast.Attribute) and call.func.attr == "cuda"
