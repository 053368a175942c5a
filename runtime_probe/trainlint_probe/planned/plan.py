"""A plan, ready to be shown."""

from __future__ import annotations

from dataclasses import dataclass

from trainlint.planning.activations import activations_by_kind
from trainlint.planning.alternatives import Alternatives
from trainlint.planning.duration import floating_point_operations
from trainlint.planning.fits import Outlook, largest_model
from trainlint.planning.memory import knows_activations
from trainlint.planning.model import Model
from trainlint.planning.recommendation import advice
from trainlint.planning.states import compute_bytes
from trainlint.planning.strategies import Strategy
from trainlint.planning.training import Training


@dataclass(frozen=True, slots=True)
class Plan:
    """What was asked, and what each strategy needs."""

    model: Model
    training: Training
    outlooks: tuple[Outlook, ...]
    gpu: str | None
    """The GPU that was named."""
    instead: Alternatives | None
    """What was tried where nothing fits; None where something does."""

    @property
    def recommendation(self) -> str:
        """A few sentences."""
        return advice(self.model, self.training, self.outlooks, self.instead)

    def largest_model(self, strategy: Strategy) -> float:
        """Parameters of the largest model whose states alone fit."""
        return largest_model(self.training.precision, self.training.optimizer, self.training.cluster, strategy)

    def activations_by_kind(self) -> tuple[tuple[str, float], ...]:
        """Name and bytes of each kind of activations; nothing where a trace counted them, or nothing is known."""
        model, training = self.model, self.training
        if model.transformer is None or model.traced is not None:
            return ()
        width = compute_bytes(training.precision)
        return activations_by_kind(model.transformer, training.batch, width, training.attention, training.checkpointing)

    def assumptions(self) -> tuple[str, ...]:
        """What the figures rest on, in sentences."""
        training, cluster = self.training, self.training.cluster
        found = [
            f"Weights, gradients and states as {training.precision.value} keeps them, with {training.optimizer.name}.",
            "1 GB for the CUDA context (0.6 to 1.6 are seen), and 5% of what comes and goes for fragmentation.",
        ]
        if cluster.gpus > 1:
            between = f" and {cluster.between / 1e9:g} GB/s to other nodes" if cluster.nodes > 1 else ""
            found.append(f"Each GPU sends {cluster.inside / 1e9:g} GB/s inside a node{between}; nothing is overlapped.")
        if not knows_activations(self.model):
            found.append("The size alone does not tell activations, logits and buffers of layers: they are left out.")
        elif self.model.traced is not None:
            found.append("Activations are what autograd kept of a forward on fake tensors, with PyTorch's own kernels.")
        else:
            found.append("Activations by Korthikanti et al. 2022; real kernels keep 10 to 30% more or less.")
        if self.model.transformer is not None and self.model.transformer.experts is not None:
            found.append("Tokens spread evenly over the experts, and all experts lie on each GPU but for sharding.")
        if cluster.flops and floating_point_operations(self.model, training) is not None:
            found.append(f"Computing time at {training.utilisation:.0%} of {cluster.flops / 1e12:g} TFLOP/s.")
        return tuple(found)
