"""Trainings of several ranks, of which one runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
import torch
from torch import distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from trainlint_probe.simulated.events import Kind
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
    assert of_reduce.bytes == 40


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


def test_fsdp_gathers_and_scatters(simulation: Simulation) -> None:
    from torch.distributed.fsdp import fully_shard

    model = nn.Sequential(nn.Linear(8, 16), nn.Linear(16, 4)).cuda()
    for layer in model:
        fully_shard(layer)
    fully_shard(model)
    simulation.log.events.clear()
    model(torch.randn(4, 8, device="cuda")).sum().backward()

    assert collectives(simulation) == {"_allgather_base_": 4, "_reduce_scatter_base_": 2}
