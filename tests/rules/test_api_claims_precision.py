"""What the rules about autocast and gradient scalers say of PyTorch, asked of the PyTorch that is installed."""

from __future__ import annotations

import ast
import inspect
from typing import Any

import pytest

from tests.analysis.facts import file_model
from trainlint_rules.compute.idioms.precision import CastTo, autocast_of

torch = pytest.importorskip("torch")


@pytest.mark.parametrize(
    ("made", "names"),
    [
        (torch.autocast, ["device_type", "dtype", "enabled"]),
        (torch.amp.autocast, ["device_type", "dtype", "enabled"]),
        (torch.cuda.amp.autocast, ["enabled", "dtype"]),
        (torch.cpu.amp.autocast, ["enabled", "dtype"]),
    ],
    ids=["torch", "torch.amp", "torch.cuda.amp", "torch.cpu.amp"],
)
def test_where_autocast_takes_its_type_and_its_switch(made: Any, names: list[str]) -> None:
    assert list(inspect.signature(made).parameters)[: len(names)] == names


@pytest.mark.parametrize(("made", "place"), [(torch.amp.GradScaler, 5), (torch.cuda.amp.GradScaler, 4)])
def test_where_a_scaler_takes_its_switch(made: Any, place: int) -> None:
    parameters = inspect.signature(made).parameters
    assert list(parameters).index("enabled") == place
    assert parameters["enabled"].default is True
    assert parameters["init_scale"].default == 65536


@pytest.mark.parametrize(("device", "dtype"), [("cuda", "float16"), ("cpu", "bfloat16")])
def test_the_types_that_autocast_takes_by_default(device: str, dtype: str) -> None:
    assert torch.get_autocast_dtype(device) is getattr(torch, dtype)
    model = file_model(f"import torch\n\nmade = torch.autocast('{device}')\n")
    (place,) = model.outline.calls["autocast"]
    assert isinstance(place.node, ast.Call)
    found = autocast_of(model, place.node, place.block)
    assert found is not None
    assert found.dtype is CastTo[dtype.upper()]


def test_a_gradient_that_is_clipped_before_it_is_unscaled_is_too_short_by_the_scale() -> None:
    def step(*, unscale: bool) -> float:
        weight = torch.zeros(3, requires_grad=True)
        optimizer = torch.optim.SGD([weight], lr=1.0)
        scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
        scaler.scale((weight * torch.tensor([3.0, 4.0, 0.0])).sum()).backward()
        if unscale:
            scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_([weight], 1.0)
        scaler.step(optimizer)
        return float(weight.detach().norm())

    assert step(unscale=True) == pytest.approx(1.0, rel=1e-4)
    assert step(unscale=False) == pytest.approx(1.0 / 1024, rel=1e-4)


def test_unscaling_twice_raises() -> None:
    weight = torch.zeros(3, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=1.0)
    scaler = torch.amp.GradScaler("cpu")
    scaler.scale(weight.sum()).backward()
    scaler.unscale_(optimizer)
    with pytest.raises(RuntimeError, match="already been called"):
        scaler.unscale_(optimizer)


def test_a_scaler_that_is_off_multiplies_by_nothing() -> None:
    scaler = torch.amp.GradScaler("cpu", enabled=False)
    assert scaler.scale(torch.ones(())).item() == 1.0


def test_float16_loses_small_gradients_and_bfloat16_does_not() -> None:
    small = torch.tensor(1e-8)
    assert small.to(torch.float16) == 0
    assert small.to(torch.bfloat16) != 0


def test_hooks_of_a_backward_inside_autocast_run_under_it() -> None:
    seen: list[bool] = []
    weight = torch.ones(3, requires_grad=True)
    weight.register_hook(lambda _: seen.append(torch.is_autocast_enabled("cpu")))
    with torch.autocast("cpu"):
        loss = (weight * 2).sum()
        loss.backward()
    with torch.autocast("cpu"):
        loss = (weight * 2).sum()
    loss.backward()
    assert seen == [True, False]
