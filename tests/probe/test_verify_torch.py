"""What is kept of a training's losses and parameters, by modules and tensors as they come."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
import torch

from trainlint_probe.verify.losses import Losses
from trainlint_probe.verify.parameters import digest_and_norm


class Everything(torch.nn.Module):  # type: ignore[misc] # torch is not read by mypy here
    """Buffers of every sort that a digest must get past."""

    def __init__(self) -> None:
        super().__init__()
        self.lazy = torch.nn.LazyLinear(3)
        self.absent = torch.nn.Linear(2, 2, device="meta")
        for name, buffer in {
            "a_empty": torch.empty(0),
            "a_half": torch.ones(3, dtype=torch.bfloat16),
            "a_mask": torch.tensor([True, False]),
            "a_scalar": torch.tensor(2),
            "a_strided": torch.arange(6.0).reshape(2, 3).t(),
            "a_sparse": torch.eye(2).to_sparse(),
            "a_complex": torch.ones(2, dtype=torch.complex64),
            "a_none": None,
        }.items():
            self.register_buffer(name, buffer)


@pytest.fixture(autouse=True)
def nothing_left_of_other_tests() -> Iterator[None]:
    gc.collect()
    yield
    gc.collect()


def test_a_change_of_one_value_changes_the_digest() -> None:
    model = Everything()
    before, norm = digest_and_norm()
    assert digest_and_norm() == (before, norm)
    model.get_buffer("a_mask")[1] = True
    assert digest_and_norm()[0] != before


def test_the_same_numbers_of_another_type_or_shape_are_not_the_same() -> None:
    digests = set()
    for buffer in (torch.zeros(4), torch.zeros(2, 2), torch.zeros(4, dtype=torch.int32)):
        holder = torch.nn.Module()
        holder.register_buffer("values", buffer)
        digests.add(digest_and_norm()[0])
        del holder
    assert len(digests) == 3


def test_how_a_tensor_lies_in_memory_does_not_count() -> None:
    def digest(values: torch.Tensor) -> str:
        holder = torch.nn.Module()
        holder.register_buffer("values", values)
        return digest_and_norm()[0]

    values = torch.arange(6.0).reshape(2, 3)
    assert digest(values) == digest(values.t().contiguous().t())


def test_the_norm_is_that_of_all_together() -> None:
    before = digest_and_norm()[1] or 0.0
    model = torch.nn.Linear(2, 1)
    with torch.no_grad():
        model.weight.copy_(torch.tensor([[2.0, 3.0]]))
        model.bias.fill_(6.0)
    norm = digest_and_norm()[1]
    assert norm is not None
    assert norm**2 - before**2 == pytest.approx(49.0)


def test_parameters_that_no_module_holds_are_found_in_their_optimizer() -> None:
    weight = torch.ones(3, requires_grad=True)
    before, _ = digest_and_norm()
    optimizer = torch.optim.SGD([weight], lr=0.1)
    held, _ = digest_and_norm()
    assert held != before
    weight.sum().backward()
    optimizer.step()
    assert digest_and_norm()[0] != held


def test_losses_are_kept_as_they_were_when_backward_was_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.autograd, "backward", torch.autograd.backward)  # puts it back afterwards
    losses = Losses()
    losses.install()
    weight = torch.tensor([2.0, 3.0], requires_grad=True)
    first = (weight * weight).sum()
    first.backward()
    with torch.no_grad():
        first.fill_(0.0)  # an accumulator that is written in place
    second, third = weight.sum(), weight.prod()
    torch.autograd.backward([second, third])
    (weight * 2).backward(torch.ones(2))  # no loss: what a later part of a graph hands back
    assert losses.read() == (13.0, 5.0, 6.0)
    assert torch.equal(weight.grad, torch.tensor([4.0 + 1 + 3 + 2, 6.0 + 1 + 2 + 2]))
