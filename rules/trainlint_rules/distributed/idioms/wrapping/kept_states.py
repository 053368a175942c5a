"""What DistributedDataParallel keeps of a model in every process."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant
from trainlint.analysis.tables.optimizers import CLASSES
from trainlint.contract.guard import guard
from trainlint.planning.memory import memory
from trainlint.planning.model import model_of_parameters
from trainlint.planning.states import state_bytes
from trainlint.planning.strategies import DDP, FSDP2, Strategy
from trainlint.planning.training import Cluster, Optimizer, Precision, Training
from trainlint_rules.distributed.idioms.model_size import DeclaredSize, declared_size

_DEVICE_MEMORY = 80
"""GB of one GPU."""
_SHARDS = 8


@dataclass(frozen=True, slots=True)
class KeptStates:
    """The states of a wrapped model of known size."""

    size: DeclaredSize
    training: Training
    optimizer: str
    """The one that the states are counted with: Adam where none is seen."""

    @property
    def whole(self) -> float:
        """Gigabytes on each GPU."""
        return self._gigabytes(DDP)

    @property
    def exceeds_device(self) -> bool:
        """Whether they alone are more than a GPU with 80 GB holds."""
        return self.whole > _DEVICE_MEMORY

    def fields(self) -> dict[str, object]:
        """What a message says of it."""
        return {
            "whole": f"{self.whole:.0f}",
            "part": f"{self._gigabytes(FSDP2):.0f}",
            "shards": _SHARDS,
            "count": f"{'' if self.size.exact else 'about '}{self.size.parameters / 1e9:.1f} billion",
            "source": self.size.source,
            "each": f"{state_bytes(self.training.precision, self.training.optimizer).total:g}",
            "optimizer": self.optimizer,
        }

    def _gigabytes(self, strategy: Strategy) -> float:
        return memory(model_of_parameters(self.size.parameters), self.training, strategy).states / 1e9


@guard
def freezes_weights(site: Site) -> bool:
    """The file freezes weights, which need neither gradients nor states."""
    stores = (place.statement for place in site.file.outline.stores.get("requires_grad", ()))
    if any(isinstance(store, ast.Assign) and constant(store.value) is False for store in stores):
        return True
    calls = (called.call for called in site.calls("requires_grad_"))
    return any(constant(argument(call, "requires_grad", 0)) is False for call in calls)


def kept_states(site: Site) -> KeptStates | None:
    """The states of the model that a call wraps; None where its size is not written out."""
    wrapped = argument(site.call, "module", 0)
    size = declared_size(site.file.kinds, wrapped, site.block) if wrapped is not None else None
    if size is None:
        return None
    moments, optimizer = 2, "Adam"
    for row in sorted(CLASSES.values(), key=lambda row: row.moments):
        for built in site.calls(row.name):
            moments, optimizer = row.moments, row.name
            if row.momentum_at is not None:
                moments += constant(argument(built.call, "momentum", row.momentum_at)) not in (..., 0)
    # The optimizer's states have the type of the parameters.
    precision = Precision.BF16 if size.half else Precision.FP32
    kept = Training(precision, Optimizer(optimizer, moments), cluster=Cluster(gpus=_SHARDS))
    return KeptStates(size, kept, optimizer)


@guard
def fits(site: Site) -> bool:
    """Weights, gradients and optimizer states need less than 40 GB, half of an 80 GB GPU."""
    kept = kept_states(site)
    return kept is not None and kept.whole < _DEVICE_MEMORY / 2
