"""Parameters that never get a gradient are named, and only these."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from trainlint_probe.watch.afterwards.without_gradients import WithoutGradients


class Net(nn.Module):  # type: ignore[misc]  # mypy does not read torch
    """The loss depends on `used` alone, and on `sometimes` in each second step."""

    def __init__(self) -> None:
        super().__init__()
        self.used, self.unused, self.sometimes, self.frozen = (nn.Linear(1000, 1) for _ in range(4))
        self.frozen.requires_grad_(False)


@pytest.fixture
def look() -> WithoutGradients:
    found = WithoutGradients()
    found.is_on = True
    return found


def trained(model: Net, look: WithoutGradients, steps: int = 2) -> None:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(steps):
        result = model.used(torch.ones(1000))
        if step % 2:
            result = result + model.sometimes(torch.ones(1000))
        result.sum().backward()
        optimizer.step()
        look.look(optimizer)
        optimizer.zero_grad()


def names(model: nn.Module) -> dict[int, str]:
    return {id(parameter): f"Net.{name}" for name, parameter in model.named_parameters()}


def test_they_are_named_with_their_size(look: WithoutGradients) -> None:
    model = Net()
    trained(model, look)
    assert look.sentence(2, names(model)) == (
        "Of 6 parameters that optimizers hold, 2 parameters (4.0 kB) got no gradient in 2 steps after the measured "
        "ones: Net.unused.weight, Net.unused.bias. If no step uses them, leave them out of the model, or freeze "
        "them by requires_grad_(False)."
    )
    assert "the measured ones. If" in look.sentence(2, {})


def test_nothing_is_said_where_all_have_gradients_or_none(look: WithoutGradients) -> None:
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    optimizer.step()
    look.look(optimizer)
    assert look.sentence(1, {}) == ""  # gradients are kept elsewhere
    model(torch.ones(2)).sum().backward()
    optimizer.step()
    look.look(optimizer)
    assert look.sentence(2, {}) == ""


def test_after_the_end_nobody_looks(look: WithoutGradients) -> None:
    look.is_on = False
    trained(Net(), look)
    assert look.sentence(2, {}) == ""
