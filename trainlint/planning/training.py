"""How a model is trained, as far as memory, communication and time depend on it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class Precision(Enum):
    """What weights, gradients and optimizer states are held in."""

    FP32 = "fp32"
    AUTOCAST = "autocast"
    """Weights in float32, products in 16 bits under `torch.autocast`."""
    MIXED = "mixed"
    """Weights and gradients in 16 bits, with a copy of the weights in float32 in the optimizer: DeepSpeed, Megatron."""
    BF16 = "bf16"
    """All of it in bfloat16, the optimizer's states too."""


class Checkpointing(Enum):
    """Which activations are computed again in the backward pass."""

    NONE = "none"
    SELECTIVE = "selective"
    """The scores of attention alone (Korthikanti et al. 2022)."""
    FULL = "full"
    """All but the input of each layer."""


class Attention(Enum):
    """Whether the scores of attention are kept."""

    FUSED = "fused"
    """`scaled_dot_product_attention` or a flash kernel: they are not."""
    MATERIALISED = "materialised"
    """Written out as two products with a softmax between them."""


@dataclass(frozen=True, slots=True)
class Optimizer:
    """What an optimizer keeps for each parameter."""

    name: str
    moments: int
    """Tensors of the parameter's size."""
    bytes_each: int | None = None
    """Bytes of one number in them; None where they have the type of the weights that are updated."""


OPTIMIZERS = (
    Optimizer("sgd", 0),
    Optimizer("momentum", 1),
    Optimizer("adamw", 2),
    Optimizer("adamw-8bit", 2, 1),
    Optimizer("adamw-fp8", 2, 1),
    Optimizer("adafactor", 0),
    Optimizer("adagrad", 1),
    Optimizer("rmsprop", 1),
    Optimizer("lion", 1),
    Optimizer("muon", 1),
)
"""By torch.optim and, for 8 bits, bitsandbytes and torchao. Their scales, a number for each block of 256 or more, are
not counted. Adafactor is that of torch.optim, without a first moment; Muon is counted for matrices, without the AdamW
that embeddings and vectors need beside it."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """The GPUs, and how they are connected."""

    gpus: int = 1
    """In all."""
    nodes: int = 1
    memory: float = 80e9
    """Bytes of one GPU."""
    flops: float | None = None
    """Floating point operations a second of one GPU at most, in the precision of the products; None where not known."""
    inside: float = 150e9
    """Bytes a second that a GPU sends to others of its node, in one direction."""
    between: float = 25e9
    """Bytes a second that a GPU sends to other nodes, in one direction."""
    to_host: float = 25e9
    """Bytes a second between a GPU and the memory of its host, in one direction."""

    @property
    def gpus_a_node(self) -> int:
        """GPUs in each node."""
        return self.gpus // self.nodes


@dataclass(frozen=True, slots=True)
class Training:
    """Everything besides the model."""

    precision: Precision = Precision.AUTOCAST
    optimizer: Optimizer = OPTIMIZERS[2]
    batch: int = 1
    """Samples of one micro-batch on one GPU."""
    accumulation: int = 1
    """Micro-batches of a step."""
    checkpointing: Checkpointing = Checkpointing.NONE
    attention: Attention = Attention.FUSED
    compiled: bool = False
    """Whether `torch.compile` runs the model: no cache of cast weights, and an update without copies."""
    utilisation: float = 0.4
    """Share of the peak that forward and backward reach (MFU)."""
    cluster: Cluster = field(default_factory=Cluster)
