"""CUDA graphs on the simulated GPU: replays compute what was captured, and nothing waits inside a capture."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import torch
from torch import nn

from trainlint_probe.simulated.events import Kind
from trainlint_probe.simulated.simulation import Simulation


@pytest.fixture
def simulation() -> Iterator[Simulation]:
    with Simulation() as simulated:
        yield simulated


def test_a_replay_computes_again_from_the_same_buffers(simulation: Simulation) -> None:
    given, total = torch.ones(3, device="cuda"), torch.zeros(3, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        doubled = (given * 2).relu_()
        part = doubled[:2]
        total += doubled

    assert total.tolist() == [0, 0, 0], "a capture runs nothing"
    for values in ([1.0, 2.0, 3.0], [4.0, -5.0, 6.0]):
        given.copy_(torch.tensor(values))
        graph.replay()

    assert doubled.tolist() == [8, 0, 12]
    assert part.tolist() == [8, 0]
    assert total.tolist() == [10, 4, 18]


def test_a_captured_training_step_trains_as_an_eager_one(simulation: Simulation) -> None:
    batches = [(torch.randn(4, 3), torch.randn(4, 2)) for _ in range(4)]

    def trained(*, captures: bool) -> list[torch.Tensor]:
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.5), nn.BatchNorm1d(8), nn.Linear(8, 2)).cuda()
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.1, capturable=True)
        given, wanted = torch.zeros(4, 3, device="cuda"), torch.zeros(4, 2, device="cuda")

        def step() -> None:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(given), wanted).backward()
            optimizer.step()

        graph = torch.cuda.CUDAGraph()
        for number, (inputs, targets) in enumerate(batches):
            given.copy_(inputs)
            wanted.copy_(targets)
            if number == 1 and captures:
                optimizer.zero_grad()
                with torch.cuda.graph(graph):
                    step()
            if number > 0 and captures:
                graph.replay()
            else:
                step()
        return [value.detach().cpu() for value in model.state_dict().values()]

    eager, captured = trained(captures=False), trained(captures=True)

    assert all(torch.equal(one, other) for one, other in zip(eager, captured, strict=True))


def test_graphed_callables_train_as_plain_ones(simulation: Simulation) -> None:
    inputs = torch.randn(3, 4, 5).cuda()

    def gradients(*, graphed: bool) -> list[torch.Tensor]:
        torch.manual_seed(1)
        model: Callable[[torch.Tensor], torch.Tensor] = nn.Sequential(nn.Linear(5, 5), nn.Tanh()).cuda()
        parameters = list(model.parameters())  # type: ignore[attr-defined] # a module, of which mypy knows nothing
        if graphed:
            model = torch.cuda.make_graphed_callables(model, (torch.zeros(4, 5, device="cuda"),))
        found = []
        for batch in inputs:
            model(batch).square().sum().backward()
            found += [parameter.grad.cpu() for parameter in parameters]
            for parameter in parameters:
                parameter.grad = None
        return found

    assert all(
        torch.equal(one, other) for one, other in zip(gradients(graphed=False), gradients(graphed=True), strict=True)
    )


@pytest.mark.parametrize(
    "wait",
    [
        lambda tensor: tensor.sum().item(),
        lambda tensor: tensor[tensor > 0],
        lambda tensor: torch.ones(3).to("cuda"),
        lambda tensor: tensor.cpu(),
        lambda tensor: torch.cuda.synchronize(),
    ],
)
def test_a_wait_in_a_capture_is_an_error(wait: Callable[[torch.Tensor], object], simulation: Simulation) -> None:
    given, graph = torch.ones(3, device="cuda"), torch.cuda.CUDAGraph()

    with pytest.raises(RuntimeError, match="operation not permitted when stream is capturing"), torch.cuda.graph(graph):
        wait(given)

    assert not torch.cuda.is_current_stream_capturing()
    assert (given + 1).tolist() == [2, 2, 2], "what follows runs as ever"
    with pytest.raises(RuntimeError, match="without a preceding successful capture"):
        graph.replay()


def test_an_optimizer_that_cannot_be_captured_says_so(simulation: Simulation) -> None:
    parameter = nn.Parameter(torch.ones(2, device="cuda"))
    optimizer = torch.optim.Adam([parameter])
    parameter.grad = torch.ones(2, device="cuda")

    with pytest.raises(RuntimeError, match="capturable is False"), torch.cuda.graph(torch.cuda.CUDAGraph()):
        optimizer.step()


def test_a_sparse_tensor_in_a_capture_is_refused(simulation: Simulation) -> None:
    sparse, dense = torch.eye(3, device="cuda").to_sparse(), torch.ones(3, 3, device="cuda")

    with pytest.raises(NotImplementedError, match="Leave out the graph"), torch.cuda.graph(torch.cuda.CUDAGraph()):
        sparse @ dense


def test_replays_count_what_was_captured(simulation: Simulation) -> None:
    given, pinned = torch.zeros(3, device="cuda"), torch.ones(3).pin_memory()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        given.copy_(pinned, non_blocking=True)
        given.mul_(2).add_(1)
    before = simulation.operators.launches
    simulation.log.events.clear()

    graph.replay()
    pinned.fill_(3)
    graph.replay()

    assert given.tolist() == [7, 7, 7]
    assert simulation.operators.launches - before == 2 * 2
    assert (
        sum(
            happened.by_step.total()
            for cause, happened in simulation.log.events.items()
            if cause.what.kind is Kind.COPY and not cause.what.blocking
        )
        == 2
    )
