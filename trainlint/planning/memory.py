"""Bytes on each GPU, by part, at the two points of a step where most is held: the backward pass and the update."""

from __future__ import annotations

from dataclasses import dataclass

from trainlint.planning.activations import activations, logits
from trainlint.planning.model import Model
from trainlint.planning.states import cast_bytes, compute_bytes, frozen_bytes, state_bytes
from trainlint.planning.strategies import Strategy
from trainlint.planning.training import Checkpointing, Training

CONTEXT = 1.0e9
"""Bytes of the CUDA context, the libraries' kernels and their workspaces: 0.6 to 1.6 GB are seen."""
FRAGMENTATION = 0.05
"""Share of what is allocated and freed in each step that lies idle between blocks. The allocator hands out multiples of
512 bytes from segments of 2 MB and more; without expandable segments up to 0.3 have been seen."""
_GATHERED_UNITS = 2
"""Under FSDP the unit that computes is gathered, and the next one meanwhile."""
_BUCKET = 5e8
"""Elements of DeepSpeed's `reduce_bucket_size` by default."""


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes on one GPU. What lies in the memory of the host is named apart."""

    weights: float
    gradients: float
    master: float
    optimizer: float
    activations: float | None
    """None where nothing is known of the model's layers."""
    logits: float
    buffers: float
    """Gathered weights, buckets of gradients, cast weights; of the update its copies, where these are more."""
    context: float
    fragmentation: float
    host: float
    """Bytes in the memory of the host, for this GPU."""

    @property
    def states(self) -> float:
        """Weights, gradients, master copy and optimizer states."""
        return self.weights + self.gradients + self.master + self.optimizer

    @property
    def total(self) -> float:
        """All of it on the GPU, with what is known of the activations."""
        dynamic = (self.activations or 0) + self.logits + self.buffers
        return self.states + dynamic + self.context + self.fragmentation

    def parts(self) -> tuple[tuple[str, float], ...]:
        """Name and bytes of each part on the GPU, the states first."""
        return (
            ("weights", self.weights),
            ("gradients", self.gradients),
            ("master copy", self.master),
            ("optimizer", self.optimizer),
            ("activations", self.activations or 0),
            ("logits and loss", self.logits),
            ("buffers", self.buffers),
            ("CUDA context", self.context),
            ("fragmentation", self.fragmentation),
        )


def memory(model: Model, training: Training, strategy: Strategy) -> Memory:
    """What one GPU holds at most."""
    cluster = training.cluster
    kept, frozen = state_bytes(training.precision, training.optimizer), frozen_bytes(training.precision)
    trained = strategy.on_each_gpu(kept, cluster)
    still = strategy.on_each_gpu(frozen, cluster).weights * (model.parameters - model.trained)
    on_host = (kept.master + kept.optimizer) * model.trained / strategy.shards(cluster) if strategy.offloads else 0.0
    kept_activations = _activations(model, training)
    of_loss = _logits(model, training)
    working = _working(model, training, strategy) + _cast_weights(model, training, strategy)
    in_backward = (kept_activations or 0) + of_loss + working
    in_update = _update_copies(model, training, strategy)
    # Where the update needs more than activations and working buffers together, the difference counts as buffers.
    buffers = working + max(0.0, in_update - in_backward)
    moving = (kept_activations or 0) + of_loss + buffers
    return Memory(
        trained.weights * model.trained + still,
        trained.gradients * model.trained,
        trained.master * model.trained,
        trained.optimizer * model.trained,
        kept_activations,
        of_loss,
        buffers,
        CONTEXT,
        FRAGMENTATION * moving,
        on_host,
    )


def _activations(model: Model, training: Training) -> float | None:
    width = compute_bytes(training.precision)
    if model.traced is not None:
        return model.traced.fixed + model.traced.a_sample * training.batch
    if model.transformer is None:
        return None
    return activations(model.transformer, training.batch, width, training.attention, training.checkpointing)


def _logits(model: Model, training: Training) -> float:
    if model.traced is not None:
        return model.traced.outputs * training.batch
    if model.transformer is None:
        return 0.0
    return logits(model.transformer, training.batch, compute_bytes(training.precision))


def _working(model: Model, training: Training, strategy: Strategy) -> float:
    """Gathered weights and buckets of gradients while the model runs."""
    kept, cluster = state_bytes(training.precision, training.optimizer), training.cluster
    width = compute_bytes(training.precision)
    if cluster.gpus == 1:
        return 0.0
    if strategy.shards_weights:
        units = model.parameters if strategy.keeps_gathered else _GATHERED_UNITS * model.largest_unit
        return width * min(units, model.parameters) + kept.gradients * min(model.largest_unit, model.trained)
    if strategy.shards_optimizer:
        # DeepSpeed reduces gradients in buckets, two at a time with `overlap_comm`.
        return 2 * kept.gradients * min(_BUCKET, model.trained)
    return kept.gradients * model.trained  # DDP's buckets, unless `gradient_as_bucket_view` is set


def _cast_weights(model: Model, training: Training, strategy: Strategy) -> float:
    """The weights in 16 bits that autocast keeps; a trace counts them among what autograd keeps."""
    if model.traced is not None:
        return 0.0
    cast = model.largest_unit if strategy.shards_weights else model.parameters
    return cast_bytes(training.precision, training.compiled) * cast


def _update_copies(model: Model, training: Training, strategy: Strategy) -> float:
    """Bytes that an update over lists of tensors (`foreach`) needs besides: a tensor of each parameter's size."""
    if strategy.offloads or training.compiled:
        return 0.0
    kept = state_bytes(training.precision, training.optimizer)
    shards = strategy.shards(training.cluster) if strategy.shards_optimizer else 1
    return (kept.master or kept.weights) * model.trained / shards


def knows_activations(model: Model) -> bool:
    """Whether the activations are counted."""
    return model.traced is not None or model.transformer is not None


def recomputes(training: Training) -> float:
    """Further forward passes that the backward pass runs, as a share of one."""
    return 1.0 if training.checkpointing is Checkpointing.FULL else 0.0
