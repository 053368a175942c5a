"""Trainings of several ranks, of which one runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any

import pytest
import torch
from torch import distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import fp16_compress_hook
from torch.distributed.device_mesh import init_device_mesh
from torch.nn.parallel import DistributedDataParallel

from trainlint_probe.simulated.events import DEVICE_TO_HOST, HOST_TO_DEVICE, Kind
from trainlint_probe.simulated.simulation import Simulation

RANKS = 4


@pytest.fixture
def simulation() -> Iterator[Simulation]:
    with Simulation(devices=RANKS) as simulated:
        dist.init_process_group("nccl")
        try:
            yield simulated
        finally:
            dist.destroy_process_group()


def collectives(simulation: Simulation) -> Counter[str]:
    found: Counter[str] = Counter()
    for cause, happened in simulation.log.events.items():
        if cause.what.kind is Kind.COLLECTIVE:
            found[cause.what.name] += happened.by_step.total()
    return found


def test_a_group_has_as_many_ranks_as_the_machine_has_gpus(simulation: Simulation) -> None:
    assert (dist.get_rank(), dist.get_world_size(), dist.get_backend()) == (0, RANKS, "nccl")


def test_collectives_are_counted_with_their_bytes(simulation: Simulation) -> None:
    tensor = torch.ones(10, device="cuda")
    dist.all_reduce(tensor)
    dist.all_gather_into_tensor(torch.empty(10 * RANKS, device="cuda"), tensor)
    dist.barrier()

    assert set(collectives(simulation)) == {"allreduce_", "_allgather_base_", "barrier"}
    (of_reduce,) = (happened for cause, happened in simulation.log.events.items() if cause.what.name == "allreduce_")
    assert of_reduce.bytes.total() == 40


def test_ddp_reduces_gradients_in_each_backward_pass(simulation: Simulation) -> None:
    torch.manual_seed(1)
    plain = nn.Linear(8, 2).cuda()
    wrapped = DistributedDataParallel(nn.Linear(8, 2).cuda(), device_ids=[0])
    wrapped.module.load_state_dict(plain.state_dict())
    simulation.log.events.clear()
    for _ in range(3):
        inputs = torch.randn(4, 8, device="cuda")
        plain(inputs).sum().backward()
        wrapped(inputs).sum().backward()

    assert collectives(simulation)["DistributedDataParallel: all_reduce"] == 3
    assert torch.equal(wrapped.module.weight.grad, plain.weight.grad), "the mean of equal ranks is what each has"


class Net(nn.Module):  # type: ignore[misc] # PyTorch is not read by mypy
    """Three layers of 576, 4160 and 260 parameters, and one of 65 that the output may do without."""

    def __init__(self, *, extra: bool = False) -> None:
        super().__init__()
        self.first, self.second, self.last = nn.Linear(8, 64), nn.Linear(64, 64), nn.Linear(64, 4)
        self.extra = nn.Linear(64, 1) if extra else None

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return self.last(torch.relu(self.second(torch.relu(self.first(inputs)))))


Wrap = Callable[[], Any]
Step = Callable[[Any, int], None]


def backward(model: Any, step: int) -> None:
    model(torch.randn(16, 8, device="cuda")).sum().backward()


def alone(model: Any, step: int) -> None:
    """No rank waits for another in steps of odd numbers."""
    after_alone(model, step + 1)


def after_alone(model: Any, step: int) -> None:
    """Likewise in steps of even numbers."""
    if isinstance(model, DistributedDataParallel):
        with nullcontext() if step % 2 else model.no_sync():
            backward(model, step)
    else:
        model.set_requires_gradient_sync(step % 2 == 1)
        backward(model, step)


def ddp(*, extra: bool = False, hook: Any = None, **words: Any) -> Wrap:
    def wrap() -> Any:
        model = DistributedDataParallel(Net(extra=extra).cuda(), device_ids=[0], **words)
        if hook is not None:
            model.register_comm_hook(None, hook)
        return model

    return wrap


def fsdp(*, mesh: tuple[int, ...] = (RANKS,), **words: Any) -> Wrap:
    from torch.distributed.fsdp import fully_shard

    def wrap() -> Any:
        model = Net().cuda()
        named = init_device_mesh("cuda", mesh, mesh_dim_names=("copies", "parts")[-len(mesh) :])
        for part in (model.first, model.second, model.last, model):
            fully_shard(part, mesh=named, **words)
        return model

    return wrap


DIRECTION = {HOST_TO_DEVICE: "to the GPU", DEVICE_TO_HOST: "to the host"}
GATHER, SCATTER = "_allgather_base_", "_reduce_scatter_base_"
REDUCE = "DistributedDataParallel: all_reduce"
SMALL: dict[str, Any] = {"bucket_cap_mb": 0.005}
"""Buckets end with the parameter that fills 5242 bytes: here, with the weight of the second layer."""
ALL, EXTRA = 4 * (576 + 4160 + 260), 4 * 65
TWO_BUCKETS = {REDUCE: (2, ALL)}
WHO_HAS_ONE = {"allreduce_": (1, 4 * 6), "to the GPU": (1, 4 * 6)}
"""One integer for each parameter says whether this rank has a gradient for it."""
HALVED = {"allreduce_": (2, ALL // 2)}
"""In 16 bits."""

PLANNED: dict[str, tuple[Wrap, Step, dict[str, tuple[int, int]]]] = {
    "one bucket": (ddp(), backward, {REDUCE: (1, ALL)}),
    "two buckets": (ddp(**SMALL), backward, TWO_BUCKETS),
    "no_sync": (ddp(**SMALL), alone, {}),
    "after no_sync": (ddp(**SMALL), after_alone, TWO_BUCKETS),
    "views of buckets": (ddp(gradient_as_bucket_view=True, **SMALL), backward, TWO_BUCKETS),
    "static graph": (ddp(static_graph=True, **SMALL), backward, TWO_BUCKETS),
    "static graph, unused layer": (ddp(extra=True, static_graph=True), backward, {REDUCE: (1, ALL + EXTRA)}),
    "search": (ddp(find_unused_parameters=True, **SMALL), backward, TWO_BUCKETS | WHO_HAS_ONE),
    "search, unused layer": (
        ddp(extra=True, find_unused_parameters=True),
        backward,
        {REDUCE: (1, ALL + EXTRA), "allreduce_": (1, 32), "to the GPU": (1, 32), "to the host": (1, 32)},
    ),
    "hook of the script": (ddp(hook=fp16_compress_hook, **SMALL), backward, HALVED),
    "FSDP2": (fsdp(), backward, {GATHER: (6, 2 * ALL), SCATTER: (3, ALL)}),
    "FSDP2, no_sync": (fsdp(), alone, {GATHER: (6, 2 * ALL)}),
    "FSDP2, after no_sync": (fsdp(), after_alone, {GATHER: (6, 2 * ALL), SCATTER: (3, ALL)}),
    "FSDP2, kept parameters": (fsdp(reshard_after_forward=False), backward, {GATHER: (3, ALL), SCATTER: (3, ALL)}),
    "HSDP": (fsdp(mesh=(2, 2)), backward, {GATHER: (6, 2 * ALL), SCATTER: (3, ALL), "allreduce_": (3, ALL // 2)}),
}


@pytest.mark.parametrize("name", PLANNED)
def test_a_step_exchanges_what_was_planned_with_values_and_without(name: str) -> None:
    wrap, step, planned = PLANNED[name]
    found = [exchanged(wrap, step, values=values) for values in (True, False)]

    assert found[0][0] == planned
    assert found[1] == found[0]


def exchanged(wrap: Wrap, step: Step, *, values: bool) -> tuple[dict[str, tuple[int, int]], int, int]:
    """The collectives, copies and waits of the fourth step, each with its number and bytes; the operators of all
    steps; and the peak of memory.
    """
    counts: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    with Simulation(devices=RANKS, values=values) as simulation:
        dist.init_process_group("nccl")
        try:
            model = wrap()
            for number in range(4):
                simulation.log.step = number
                step(model, number)
        finally:
            dist.destroy_process_group()
    for (kind, name, direction, *_), happened in ((cause.what, it) for cause, it in simulation.log.events.items()):
        shown = DIRECTION[direction] if kind is Kind.COPY else name
        counts[shown] += happened.by_step[3]
        sizes[shown] += happened.bytes[3]
    found = {shown: (count, sizes[shown]) for shown, count in counts.items() if count}
    return found, simulation.operators.launches, simulation.places.memory[0].peak
