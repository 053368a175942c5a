"""`torch.compile` on the simulated GPU: graph breaks are found, and the training computes what it does without it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
import torch
from torch import nn

from trainlint_probe.simulated.simulation import Simulation

calls = count()


class Net(nn.Module):  # type: ignore[misc] # PyTorch is not read by mypy
    """Draws numbers, keeps a buffer, counts its calls, and breaks its graph at one line."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.norm = nn.BatchNorm1d(4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        next(calls)
        x = nn.functional.dropout(self.norm(self.layer(x)))
        if x.sum() > 0:
            x = 2 * x
        return x


BREAKS_AT = next(
    number for number, text in enumerate(Path(__file__).read_text().splitlines(), 1) if "if x.sum() > 0" in text
)


@pytest.fixture
def simulation() -> Iterator[Simulation]:
    with Simulation() as simulated:
        simulated.compiling.is_on = True
        yield simulated


def lines_of(simulation: Simulation) -> set[int]:
    return {found.stack[-1][1] for found in simulation.compiling.breaks}


def trained(simulation: Simulation, *, looks: bool) -> tuple[list[float], torch.Tensor, int]:
    """The losses of a few steps, the mean that the model has kept, and how often it was called."""
    simulation.compiling.is_on = looks
    torch.manual_seed(1)
    began = next(calls)
    net = Net().cuda()
    model = torch.compile(net)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = model(torch.randn(8, 4, device="cuda")).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, net.norm.running_mean.cpu(), next(calls) - began


@pytest.mark.slow
def test_the_training_computes_what_it_does_without_the_search_for_breaks(simulation: Simulation) -> None:
    losses, mean, called = trained(simulation, looks=False)
    waits = sum(happened.by_step.total() for happened in simulation.log.events.values())
    simulation.log.events.clear()
    with_looks = trained(simulation, looks=True)

    assert simulation.compiling.breaks
    assert with_looks[0] == losses
    assert torch.equal(with_looks[1], mean)
    assert with_looks[2] == called
    assert sum(happened.by_step.total() for happened in simulation.log.events.values()) == waits


@pytest.mark.slow
def test_a_break_is_found_at_its_line_with_its_reason(simulation: Simulation) -> None:
    torch.compile(Net().cuda())(torch.ones(8, 4, device="cuda"))

    assert BREAKS_AT in lines_of(simulation)
    assert all(found.reason for found in simulation.compiling.breaks)
    assert not simulation.compiling.unknown


@pytest.mark.slow
def test_a_function_without_breaks_has_none(simulation: Simulation) -> None:
    def twice(x: torch.Tensor) -> torch.Tensor:
        return nn.functional.relu(x) * 2

    assert torch.compile(twice)(torch.ones(3, device="cuda")).sum().item() == 6
    assert simulation.compiling.looked_at == 1
    assert not simulation.compiling.breaks
    assert not simulation.compiling.unknown


@pytest.mark.slow
def test_what_cannot_be_executed_on_a_cpu_is_named(simulation: Simulation) -> None:
    def shifted(x: torch.Tensor) -> torch.Tensor:
        return x + torch.ones(3, device="cuda")

    assert torch.compile(shifted)(torch.ones(3, device="cuda")).tolist() == [2, 2, 2]
    (unknown,) = simulation.compiling.unknown
    assert "shifted (" in unknown


@pytest.mark.slow
def test_layers_of_one_kind_are_looked_at_once(simulation: Simulation) -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2)).cuda()
    for layer in model:
        layer.compile()
    model(torch.ones(1, 2, device="cuda"))
    with torch.no_grad():
        model(torch.ones(1, 2, device="cuda"))

    assert simulation.compiling.looked_at == 2, "with gradients and without"


def test_a_compiled_module_holds_the_one_that_it_was_made_of() -> None:
    with Simulation():
        layer = nn.Linear(2, 2).cuda()
        compiled = torch.compile(layer)
        assert compiled._orig_mod is layer
        assert [name for name, _ in compiled.named_parameters()] == ["_orig_mod.weight", "_orig_mod.bias"]
        assert torch.compile(layer, disable=True) is layer


def test_without_values_breaks_are_not_known() -> None:
    with Simulation(values=False) as simulation:
        simulation.compiling.is_on = True
        torch.compile(nn.Linear(2, 2).cuda())(torch.ones(1, 2, device="cuda"))
        assert list(simulation.compiling.unknown) == ["Linear (they need values)"]
