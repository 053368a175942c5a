"""What the rules on DDP and collectives claim: checked against the installed PyTorch, and run by two processes."""

from __future__ import annotations

import inspect
import warnings
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from trainlint.analysis.tables.collectives import COLLECTIVES, IN_PLACE
from trainlint.analysis.tables.parallel import DATA_PARALLEL_ORIGINS, DDP_ORIGINS

torch = pytest.importorskip("torch")


def _parameters(function: object) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(function).parameters)  # type: ignore[arg-type]  # looked up by name


@pytest.mark.parametrize("origin", [*DDP_ORIGINS, *DATA_PARALLEL_ORIGINS])
def test_wrappers_stand_where_the_model_looks_for_them(origin: str) -> None:
    module, _, name = origin.rpartition(".")
    assert getattr(import_module(module), name).__name__ in ("DataParallel", "DistributedDataParallel")


def test_options_of_ddp() -> None:
    options = _parameters(torch.nn.parallel.DistributedDataParallel.__init__)
    assert options["find_unused_parameters"].default is False
    assert options["static_graph"].default is False
    # None stands for the default of 25 MiB, which older versions wrote out.
    assert options["bucket_cap_mb"].default in (None, 25)
    assert "25" in (torch.nn.parallel.DistributedDataParallel.__doc__ or "")
    assert hasattr(torch.nn.parallel.DistributedDataParallel, "no_sync")


def test_how_long_a_rank_waits_for_the_others() -> None:
    constants = import_module("torch.distributed.constants")
    assert constants.default_pg_timeout == timedelta(minutes=30)
    # None in a build without NCCL.
    assert constants.default_pg_nccl_timeout in (None, timedelta(minutes=10))


def test_the_documentation_prefers_ddp() -> None:
    assert "DistributedDataParallel" in (torch.nn.DataParallel.__doc__ or "")


@pytest.mark.parametrize("name", sorted(COLLECTIVES - {"all_gather_single", "reduce_scatter_single"}))
def test_collectives_exist(name: str) -> None:
    assert callable(getattr(torch.distributed, name))


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("all_reduce", {"tensor": 0, "op": 1, "group": 2, "async_op": 3}),
        ("reduce", {"tensor": 0, "dst": 1, "op": 2, "group": 3, "async_op": 4}),
        ("broadcast", {"tensor": 0, "src": 1, "group": 2, "async_op": 3}),
        ("all_gather", {"tensor_list": 0, "tensor": 1, "group": 2, "async_op": 3}),
        ("all_gather_into_tensor", {"output_tensor": 0, "input_tensor": 1, "group": 2, "async_op": 3}),
        ("reduce_scatter", {"output": 0, "input_list": 1, "op": 2, "group": 3, "async_op": 4}),
        ("reduce_scatter_tensor", {"output": 0, "input": 1, "op": 2, "group": 3, "async_op": 4}),
        ("all_to_all", {"output_tensor_list": 0, "input_tensor_list": 1, "group": 2, "async_op": 3}),
        ("gather", {"tensor": 0, "gather_list": 1, "dst": 2, "group": 3, "async_op": 4}),
        ("scatter", {"tensor": 0, "scatter_list": 1, "src": 2, "group": 3, "async_op": 4}),
        ("barrier", {"group": 0, "async_op": 1}),
        ("all_gather_object", {"obj": 1, "group": 2}),
        ("gather_object", {"obj": 0, "group": 3}),
        ("broadcast_object_list", {"object_list": 0, "src": 1, "group": 2}),
    ],
)
def test_arguments_stand_where_the_model_reads_them(name: str, given: dict[str, int]) -> None:
    names = list(_parameters(getattr(torch.distributed, name)))
    assert {item: names.index(item) for item in given} == given


@pytest.mark.parametrize("name", sorted(IN_PLACE))
def test_collectives_in_place_return_no_tensor(name: str) -> None:
    assert name in ("all_reduce", "reduce", "broadcast")
    assert "async" in (getattr(torch.distributed, name).__doc__ or "")


def _in_each_process(rank: int, meeting: str) -> None:
    import torch
    import torch.distributed as dist

    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=2)
    _claims_of_ddp(rank)
    _claims_of_collectives(rank)
    dist.destroy_process_group()


def _model() -> Any:
    import torch

    torch.manual_seed(0)
    return torch.nn.Linear(3, 1)


def _is_same_everywhere(tensor: Any) -> bool:
    import torch
    import torch.distributed as dist

    parts = [torch.empty_like(tensor) for _ in range(2)]
    dist.all_gather(parts, tensor)
    return bool(torch.equal(*parts))


def _claims_of_ddp(rank: int) -> None:
    """Who decides whether gradients are reduced, and what a forward of the inner module does to them."""
    from contextlib import nullcontext

    import torch
    from torch.nn.parallel import DistributedDataParallel

    inputs = torch.full((4, 3), rank + 1.0)
    # (the forward is inside of no_sync, the backward is) → gradients are reduced
    for forward, backward, reduced in (
        (False, False, True),
        (False, True, True),
        (True, False, False),
        (True, True, False),
    ):
        model = DistributedDataParallel(_model())
        with model.no_sync() if forward else nullcontext():
            loss = model(inputs).sum()
        with model.no_sync() if backward else nullcontext():
            loss.backward()
        assert _is_same_everywhere(model.module.weight.grad) is reduced, (forward, backward)

    # Accumulation gives the same gradients whether each backward reduces or only the last.
    gradients = []
    for saves in (False, True):
        model = DistributedDataParallel(_model())
        for step in range(3):
            with model.no_sync() if saves and step < 2 else nullcontext():
                model(inputs * (step + 1)).sum().backward()
        gradients.append(model.module.weight.grad)
    assert torch.allclose(*gradients)

    # Around the inner module, DDP is bypassed.
    for bypassed in (False, True):
        model = DistributedDataParallel(_model())
        (model.module if bypassed else model)(inputs).sum().backward()
        assert _is_same_everywhere(model.module.weight.grad) is not bypassed

    # Without the search, a parameter that gets no gradient is an error in the second forward.
    network = _model()
    network.unused = torch.nn.Parameter(torch.zeros(1))
    model = DistributedDataParallel(network)
    model(inputs).sum().backward()
    with pytest.raises(RuntimeError, match="find_unused_parameters=True"):
        model(inputs)


def _claims_of_collectives(rank: int) -> None:
    """Where results go, what joined collectives give, and who waits for whom."""
    import torch
    import torch.distributed as dist

    # A temporary takes the result with it.
    kept = torch.full((2, 3), rank + 1.0)
    for temporary in (kept.t().contiguous(), kept.double(), kept / 2, kept.clone(), kept.sum()):
        dist.all_reduce(temporary)
        assert torch.equal(kept, torch.full((2, 3), rank + 1.0))
    # What is contiguous already is no temporary: there the same code works.
    kept = torch.full((2, 3), rank + 1.0)
    dist.all_reduce(kept.contiguous())
    assert torch.equal(kept, torch.full((2, 3), 3.0))

    # Stacked numbers give what each gives by itself.
    numbers = [torch.tensor(rank + 1.0), torch.tensor(10.0 * rank)]
    together = torch.stack(numbers)
    dist.all_reduce(together)
    for number in numbers:
        dist.all_reduce(number)
    assert torch.equal(together, torch.stack(numbers))

    # So do flattened gradients.
    torch.manual_seed(rank)
    tensors = [torch.rand(3, 2), torch.rand(5), torch.rand(())]
    flat = torch.cat([tensor.flatten() for tensor in tensors])
    dist.all_reduce(flat)
    for tensor, part in zip(tensors, flat.split([tensor.numel() for tensor in tensors]), strict=True):
        dist.all_reduce(tensor)
        assert torch.equal(tensor.flatten(), part)

    # The part of a sum is what a reduce-scatter gives.
    whole = torch.rand(4, 3)
    part = whole.new_empty((2, 3))
    dist.reduce_scatter_tensor(part, whole.contiguous())
    dist.all_reduce(whole)
    assert torch.equal(whole.chunk(2)[rank], part)

    # A collective that only one rank makes waits for the other until the time is over.
    group = dist.new_group(timeout=timedelta(minutes=2))  # in which the two must meet, however busy the machine is
    dist.barrier(group=group)
    dist.distributed_c10d._set_pg_timeout(timedelta(seconds=1), group)
    if rank == 0:
        with pytest.raises(RuntimeError):
            dist.all_reduce(torch.ones(1), group=group)


@pytest.mark.nightly
@pytest.mark.slow
def test_two_processes_bear_the_claims_out(tmp_path: Path) -> None:
    torch.multiprocessing.spawn(_in_each_process, (str(tmp_path / "meeting"),), nprocs=2)
