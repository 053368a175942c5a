"""What takes the options of DistributedDataParallel: the wrapper itself, and what frameworks hand to it.

Sources: torch 1.13 to 2.13, accelerate, lightning.
"""

from __future__ import annotations

import re

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import argument, names_in
from trainlint.analysis.tables.parallel import DDP_ORIGINS
from trainlint.contract.guard import guard
from trainlint.patterns import lazy

TAKING_DDP_OPTIONS = (
    *DDP_ORIGINS,
    "accelerate.DistributedDataParallelKwargs",
    "accelerate.utils.DistributedDataParallelKwargs",
    "lightning.pytorch.strategies.DDPStrategy",
    "pytorch_lightning.strategies.DDPStrategy",
    "lightning.fabric.strategies.DDPStrategy",
)
"""Dotted origins."""
_LEAVES_SOME_OUT = lazy(
    r"layer_?drop|stochastic_depth|drop_path|(^|_)moe(_|$)|expert|discriminator|value_?head|v_head|(^|_)gan(_|$)|"
    r"task_id|modalit|requires_grad_?$|freeze|frozen|unused|peft|(^|_)lora(_|$)",
    re.IGNORECASE,
)
"""Words of models and loops in which some parameters get no gradient in some steps."""


@guard
def static_graph_given(site: Site) -> bool:
    """`static_graph` is given."""
    return argument(site.call, "static_graph") is not None


@guard
def leaves_some_out(site: Site) -> bool:
    """Names in the file suggest dropped layers, experts, discriminators, value heads, adapters or frozen parts."""
    return _leaves_some_out(site.file)


@once
def _leaves_some_out(file: SemanticModel) -> bool:
    return any(_LEAVES_SOME_OUT.search(name) for name in set(names_in(file.tree)))
