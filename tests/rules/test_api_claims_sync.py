"""What rules about waits, copies and measuring say of PyTorch, asked of the PyTorch that is installed."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

torch = pytest.importorskip("torch")


def test_an_infinite_bound_clips_nothing_and_gives_the_norm_as_one_tensor() -> None:
    parameters = [torch.ones(3, requires_grad=True), torch.ones(4, requires_grad=True)]
    for parameter in parameters:
        parameter.grad = torch.full_like(parameter, 2.0)
    norm = torch.nn.utils.clip_grad_norm_(parameters, float("inf"))
    assert isinstance(norm, torch.Tensor)
    assert norm.item() == pytest.approx((7 * 4.0) ** 0.5)
    assert all(torch.equal(parameter.grad, torch.full_like(parameter, 2.0)) for parameter in parameters)


@pytest.mark.parametrize(
    "name",
    [
        "_assert_async",
        "_foreach_norm",
        "where",
        "isfinite",
        "cuda.synchronize",
        "cuda.Event",
        "utils.benchmark.Timer",
        "amp.GradScaler",
        "distributed.checkpoint.async_save",
        "nn.utils.rnn.pack_padded_sequence",
    ],
)
def test_what_the_pages_name_exists(name: str) -> None:
    import torch.distributed.checkpoint
    import torch.utils.benchmark

    found: Any = torch
    for part in name.split("."):
        found = getattr(found, part)


def test_moving_a_tensor_makes_another_and_moving_a_module_does_not() -> None:
    tensor, module = torch.zeros(3), torch.nn.Linear(3, 3)
    assert tensor.to("meta") is not tensor
    assert tensor.device.type == "cpu"
    assert module.to("meta") is module
    assert module.weight.device.type == "meta"


@pytest.mark.parametrize("number", [True, 3, 0.5])
def test_full_makes_the_same_tensor_of_a_number(number: float) -> None:
    filled, copied = torch.full((), number), torch.tensor(number)
    assert filled.dtype == copied.dtype
    assert torch.equal(filled, copied)


def test_only_to_and_copy_can_go_on_without_waiting() -> None:
    assert torch.zeros(3).to("cpu", non_blocking=True).shape == (3,)
    assert torch.zeros(3).copy_(torch.ones(3), non_blocking=True).sum().item() == 3
    with pytest.raises(TypeError):
        torch.zeros(3).cpu(non_blocking=True)


def test_lengths_of_packed_sequences_stay_on_the_host() -> None:
    lengths = torch.tensor([2, 1])
    packed = torch.nn.utils.rnn.pack_padded_sequence(torch.zeros(2, 2, 3), lengths)
    assert packed.batch_sizes.device.type == "cpu"


def test_a_timer_of_events_is_asked_for() -> None:
    assert "enable_timing" in inspect.signature(torch.cuda.Event.__new__).parameters
