"""Optimizers and schedules of learning rates: PyTorch's classes, and how people call their objects."""

from __future__ import annotations

import re
from typing import NamedTuple

from trainlint.patterns import lazy


class OptimizerClass(NamedTuple):
    """One class of torch.optim that keeps something of the gradients from step to step."""

    name: str
    moments: int
    """How many tensors of the size of each parameter it keeps by default."""
    momentum_at: int | None = None
    """The position of `momentum`, for which it keeps one more; None where it takes none."""
    fused_since: tuple[int, int] | None = None
    """The first PyTorch whose fused implementation on CUDA is there for good."""


_CLASSES = (
    OptimizerClass("SGD", 0, momentum_at=2, fused_since=(2, 3)),
    OptimizerClass("Adam", 2, fused_since=(2, 0)),
    OptimizerClass("AdamW", 2, fused_since=(2, 0)),
    OptimizerClass("NAdam", 2),
    OptimizerClass("RAdam", 2),
    OptimizerClass("Adamax", 2),
    OptimizerClass("Adadelta", 2),
    OptimizerClass("Rprop", 2),
    OptimizerClass("RMSprop", 1),
    OptimizerClass("Adagrad", 1),
    OptimizerClass("ASGD", 1),
)
CLASSES: dict[str, OptimizerClass] = {row.name: row for row in _CLASSES}
"""The optimizers of torch.optim that update lists of tensors at once (`foreach`), by name."""
BASES = ("Optimizer",)
SCHEDULER_BASES = ("LRScheduler", "_LRScheduler")
NAMES = (*(row.name for row in _CLASSES), *BASES, *SCHEDULER_BASES)
FUSED_SINCE: dict[str, tuple[int, int]] = {row.name: row.fused_since for row in _CLASSES if row.fused_since}
"""Optimizers with a fused implementation on CUDA, and the PyTorch that has it for good."""
FUSED_ADAMW_SINCE = FUSED_SINCE["AdamW"]
SCHEDULER_MODULE = "torch.optim.lr_scheduler"
SCHEDULER_ORIGIN = lazy(r"^torch\.optim\.lr_scheduler\.\w+$")
"""The dotted origin of a schedule of learning rates."""
OPTIMIZER_ORIGIN = lazy(
    r"^torch\.optim\.[A-Z]\w*$|^(apex\.optimizers|bitsandbytes\.optim)\.|^transformers\.(AdamW|Adafactor)$"
)
"""The dotted origin of an optimizer, of PyTorch or of packages whose optimizers are used like PyTorch's."""
OPTIMIZER_NAME = lazy(r"optim|^opt($|_)|_opt$", re.IGNORECASE)
"""How objects are called that are most likely optimizers, even where nothing else says so."""
STEPPED_NAME = lazy(r"optim|(^|_)opt(im)?[a-z]?($|_)", re.IGNORECASE)
"""How optimizers are called among objects that are stepped, scaled or handed to a scaler: with `optD`, `d_opt_ema`.

Nothing else has `opts.step()`, but `opts` alone may be options; hence a second name for the same thing.
"""


def is_optimizer_class(name: str) -> bool:
    """Whether a class of this last name is an optimizer."""
    return name in CLASSES or name.endswith(BASES)
