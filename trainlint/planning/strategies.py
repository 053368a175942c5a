"""Ways to spread a model's states over GPUs.

Source of the stages: ZeRO, section 5 (arXiv:1910.02054): stage 1 cuts the optimizer's states into one piece for each
GPU, stage 2 the gradients too, stage 3 the weights too. FSDP2's `fully_shard` is stage 3.
"""

from __future__ import annotations

from dataclasses import dataclass

from trainlint.planning.states import StateBytes
from trainlint.planning.training import Cluster


@dataclass(frozen=True, slots=True)
class Strategy:
    """Which states are cut into pieces, and over which GPUs."""

    key: str
    """As the command line and JSON name it."""
    title: str
    shards_weights: bool = False
    shards_gradients: bool = False
    shards_optimizer: bool = False
    keeps_gathered: bool = False
    """Whether weights stay gathered between forward and backward (`reshard_after_forward=False`)."""
    inside_nodes: bool = False
    """Whether pieces are made for the GPUs of one node, and nodes hold the same."""
    offloads: bool = False
    """Whether master weights and optimizer states lie in the memory of the host, where the update runs."""

    def shards(self, cluster: Cluster) -> int:
        """How many pieces are made of what is cut."""
        return cluster.gpus_a_node if self.inside_nodes else cluster.gpus

    @property
    def stage(self) -> int:
        """The stage of ZeRO; 0 where nothing is cut."""
        return self.shards_optimizer + self.shards_gradients + self.shards_weights

    def on_each_gpu(self, kept: StateBytes, cluster: Cluster) -> StateBytes:
        """What one GPU holds of the states that are kept for a parameter, all GPUs together."""
        pieces = self.shards(cluster)
        updated = 0.0 if self.offloads else 1 / (pieces if self.shards_optimizer else 1)
        return StateBytes(
            kept.weights / (pieces if self.shards_weights else 1),
            kept.gradients / (pieces if self.shards_gradients else 1),
            kept.master * updated,
            kept.optimizer * updated,
        )


ONE = Strategy("single", "one GPU")
DDP = Strategy("ddp", "DDP")
ZERO_1 = Strategy("zero1", "ZeRO-1", shards_optimizer=True)
ZERO_2 = Strategy("zero2", "ZeRO-2", shards_optimizer=True, shards_gradients=True)
ZERO_3 = Strategy("zero3", "ZeRO-3", shards_optimizer=True, shards_gradients=True, shards_weights=True)
FSDP2 = Strategy("fsdp2", "FSDP2", shards_optimizer=True, shards_gradients=True, shards_weights=True)
FSDP2_GATHERED = Strategy(
    "fsdp2-gathered",
    "FSDP2, weights stay gathered",
    shards_optimizer=True,
    shards_gradients=True,
    shards_weights=True,
    keeps_gathered=True,
)
HYBRID = Strategy(
    "hybrid",
    "FSDP2 inside nodes, DDP between",
    shards_optimizer=True,
    shards_gradients=True,
    shards_weights=True,
    inside_nodes=True,
)
OFFLOAD = Strategy(
    "offload",
    "ZeRO-3, optimizer on the CPU",
    shards_optimizer=True,
    shards_gradients=True,
    shards_weights=True,
    offloads=True,
)

STRATEGIES = (ONE, DDP, ZERO_1, ZERO_2, ZERO_3, FSDP2, FSDP2_GATHERED, HYBRID, OFFLOAD)


def strategies_for(cluster: Cluster) -> tuple[Strategy, ...]:
    """Those that mean something on a cluster."""
    if cluster.gpus == 1:
        return (ONE, OFFLOAD)
    several = [item for item in STRATEGIES if item is not ONE]
    return tuple(item for item in several if item is not HYBRID or 1 < cluster.gpus_a_node < cluster.gpus)
