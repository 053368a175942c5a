"""A simulated GPU that computes no values: it counts the same, and names the lines that decide by what it lacks."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.nn import functional

from trainlint_probe.simulated.events import Kind, Log
from trainlint_probe.simulated.simulation import Simulation


@pytest.fixture
def simulation() -> Iterator[Simulation]:
    with Simulation(values=False) as simulated:
        yield simulated


class Attention(nn.Module):  # type: ignore[misc] # PyTorch is not read by mypy
    def __init__(self) -> None:
        super().__init__()
        self.queries = nn.Linear(16, 48)
        self.norm = nn.LayerNorm(16)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        shape = (inputs.shape[0], inputs.shape[1], 2, 8)
        queries, keys, values = (part.reshape(shape).transpose(1, 2) for part in self.queries(inputs).chunk(3, -1))
        mask = torch.ones(inputs.shape[1], inputs.shape[1], dtype=torch.bool, device=inputs.device).tril()
        found = functional.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
        return self.norm(inputs + functional.dropout(found.transpose(1, 2).flatten(2), 0.1))


def train() -> None:
    """A few steps, of which no branch depends on values."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Embedding(11, 16), Attention(), nn.Linear(16, 11))
    optimizer = torch.optim.AdamW(model.parameters())
    model.to("cuda")
    for _ in range(3):
        tokens = torch.randint(11, (4, 7)).pin_memory().to("cuda", non_blocking=True)
        output = model(tokens)
        output[0, 0] = 0.0
        loss = functional.cross_entropy(output.flatten(0, 1), tokens.flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        loss.item()
        output.argmax(-1).cpu().numpy()


def counted(*, values: bool) -> tuple[object, ...]:
    with Simulation(values=values) as simulated:
        train()
    memory = simulated.places.memory[0]
    return simulated.log.events, simulated.operators.launches, memory.peak, memory.allocations


def test_it_counts_what_a_run_with_values_counts() -> None:
    assert counted(values=False) == counted(values=True)


def lines(log: Log) -> set[str]:
    """The text of the lines of this file that decided by a value."""
    text = Path(__file__).read_text(encoding="utf-8").splitlines()
    return {text[chain[0].line - 1].strip() for chain in log.decided}


def test_lines_that_decide_by_a_value_are_kept(simulation: Simulation) -> None:
    loss = torch.ones(2, device="cuda").sum()
    best = 3.0
    if loss.item() * 2 < best:
        best = loss.item()
    while loss > 3:
        pass
    f"{loss.item():.3f} {loss}"
    assert lines(simulation.log) == {"if loss.item() * 2 < best:", "while loss > 3:"}


def test_nothing_is_decided_by_values_of_the_host(simulation: Simulation) -> None:
    assert torch.ones(2).sum() == 2
    assert not simulation.log.decided


def test_reads_are_neutral(simulation: Simulation) -> None:
    tensor = torch.full((2,), 7.0, device="cuda")
    assert (tensor.sum().item(), tensor.tolist(), float(tensor[0])) == (0.0, [0.0, 0.0], 0.0)
    assert tensor.cpu().equal(torch.zeros(2))
    assert repr(tensor) == "tensor([0., 0.], device='cuda:0')"
    assert bool(torch.isfinite(tensor).all()), "what asks whether all is well hears yes"
    assert not torch.isnan(tensor).any()
    assert 1 / tensor.sum().item() == 0.0, "a number that was not computed is hardly zero"


@pytest.mark.parametrize(
    ("selected", "size"),
    [
        (lambda tensor: tensor[tensor > 0], (6,)),
        (lambda tensor: tensor.masked_select(tensor > 0), (6,)),
        (lambda tensor: tensor.nonzero(), (6, 2)),
        (lambda tensor: tensor.unique(), (6,)),
        (lambda tensor: torch.unique(tensor, dim=0, return_counts=True)[1], (2,)),
        (lambda tensor: tensor[0].repeat_interleave(tensor[0].long()), (3,)),
    ],
)
def test_a_size_that_depends_on_values_is_the_largest(
    selected: Callable[[torch.Tensor], torch.Tensor], size: tuple[int, ...], simulation: Simulation
) -> None:
    assert selected(torch.ones(2, 3, device="cuda")).shape == size
    assert simulation.log.sized


def test_an_operator_that_needs_values_says_so(simulation: Simulation) -> None:
    with pytest.raises(NotImplementedError, match=r"aten::_to_sparse needs values, and with --no-values"):
        torch.ones(2, device="cuda").to_sparse()


def test_large_parameters_take_no_memory_of_the_host_either(simulation: Simulation) -> None:
    model = nn.Linear(1 << 20, 1 << 20)  # four terabytes
    assert model.weight.device == torch.device("cpu")
    optimizer = torch.optim.SGD(model.parameters())
    model.to("cuda")
    copied = sum(
        happened.bytes.total() for cause, happened in simulation.log.events.items() if cause.what.kind is Kind.COPY
    )
    assert copied == 4 * ((1 << 40) + (1 << 20))
    assert model.weight.device == torch.device("cuda:0")
    assert optimizer.param_groups[0]["params"][0] is model.weight


def test_a_gradient_goes_back_to_the_host(simulation: Simulation) -> None:
    weight = torch.ones(3, requires_grad=True)
    (weight.to("cuda") * 2).sum().backward()
    assert weight.grad is not None
    assert weight.grad.device == torch.device("cpu")
    assert [cause.what.direction for cause in simulation.log.events] == ["host to device", "device to host"]


def test_a_checkpoint_takes_no_room(simulation: Simulation) -> None:
    saved = io.BytesIO()
    model = nn.Linear(1 << 14, 1 << 14, device="cuda")
    torch.save(model.state_dict(), saved)
    assert saved.tell() < 10_000
    saved.seek(0)
    model.load_state_dict(torch.load(saved))
