"""What the rules on optimizers say of PyTorch is true of the PyTorch that is installed."""

from __future__ import annotations

import importlib
import inspect
from typing import Any

import pytest

torch = pytest.importorskip("torch")


def parameters(seed: int, count: int = 5) -> list[Any]:
    torch.manual_seed(seed)
    return [torch.randn(3, size) for size in range(1, count + 1)]


def test_averages_over_lists_are_those_of_the_loop() -> None:
    decay = 0.99
    looped, listed, weights = parameters(1), parameters(1), parameters(2)
    for average, weight in zip(looped, weights, strict=True):
        average.mul_(decay).add_(weight, alpha=1 - decay)
    torch._foreach_mul_(listed, decay)
    torch._foreach_add_(listed, weights, alpha=1 - decay)
    assert all(torch.equal(one, other) for one, other in zip(looped, listed, strict=True))
    drawn = parameters(1)
    torch._foreach_lerp_(drawn, weights, 1 - decay)
    assert all(torch.allclose(one, other) for one, other in zip(looped, drawn, strict=True))


def test_pytorch_averages_whole_models() -> None:
    swa_utils = pytest.importorskip("torch.optim.swa_utils")
    model = torch.nn.Linear(4, 2)
    average = swa_utils.AveragedModel(model, multi_avg_fn=swa_utils.get_ema_multi_avg_fn(0.9))
    average.update_parameters(model)
    assert "_foreach_lerp_" in inspect.getsource(swa_utils.get_ema_multi_avg_fn)


def test_schedules_warn_of_the_wrong_order() -> None:
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    assert optimizer.param_groups[0]["lr"] == 1.0
    with pytest.warns(UserWarning, match="before `optimizer.step"):
        schedule.step()


def test_clearing_before_the_step_leaves_the_parameters_as_they_are() -> None:
    weight = torch.ones(3, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=1.0)
    weight.sum().backward()
    optimizer.zero_grad()
    optimizer.step()
    assert weight.grad is None
    assert torch.equal(weight, torch.ones(3))


EAGER_STATE = ("Adagrad",)
OPTIMIZERS = ("Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "ASGD", "NAdam", "RAdam", "RMSprop", "Rprop", "SGD")


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_only_adagrad_creates_its_state_when_it_is_built(name: str) -> None:
    optimizer = getattr(torch.optim, name)([torch.zeros(1, requires_grad=True)], lr=0.1)
    assert bool(optimizer.state) == (name in EAGER_STATE)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a second device")
def test_adagrad_fails_once_its_parameters_have_moved() -> None:
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.Adagrad(model.parameters())
    model.cuda()
    model(torch.ones(1, 2, device="cuda")).sum().backward()
    with pytest.raises(RuntimeError):
        optimizer.step()


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers_take_foreach(name: str) -> None:
    accepted = inspect.signature(getattr(torch.optim, name)).parameters
    assert accepted["foreach"].default is None
    assert "fused" in accepted or name not in ("Adam", "AdamW", "SGD")


def test_the_default_is_never_fused() -> None:
    from torch.optim.optimizer import _default_to_fused_or_foreach

    assert _default_to_fused_or_foreach([torch.zeros(1)], differentiable=False, use_fused=False)[0] is False
    for name in ("adam", "sgd"):  # AdamW is Adam with another weight decay
        source = inspect.getsource(importlib.import_module(f"torch.optim.{name}"))
        assert "use_fused=False" in source


def test_clipping_one_by_one_bounds_each_by_itself() -> None:
    weights = [torch.zeros(4, requires_grad=True) for _ in range(9)]
    for weight in weights:
        weight.grad = torch.full((4,), 5.0)
    for weight in weights:
        torch.nn.utils.clip_grad_norm_(weight, 1.0)
    norm = torch.nn.utils.clip_grad_norm_(weights, 100.0)
    assert norm.item() == pytest.approx(3.0, rel=1e-4)
