"""Budgets around functions that torch.compile compiles."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from torch._dynamo.testing import CompileCounter

from trainlint_probe import BudgetExceeded, budget
from trainlint_probe.budgets.on_cuda import OnCuda
from trainlint_probe.watch.lines import Lines
from trainlint_probe.watch.patches import Patches, hide_from_dynamo


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Nothing is compiled yet."""
    torch.compiler.reset()
    yield
    torch.compiler.reset()


def moves(x: torch.Tensor) -> torch.Tensor:
    """What is replaced on a GPU, where torch.compile makes one graph of it."""
    y = x[1:].to(torch.float64).to("cpu")
    y.copy_(x[1:])
    return torch.where(y > 0, y, -y)


@pytest.mark.slow
def test_what_is_replaced_on_a_gpu_breaks_no_graph_and_makes_none_be_compiled_again() -> None:
    counter = CompileCounter()
    compiled = torch.compile(moves, backend=counter, fullgraph=True)
    compiled(torch.arange(4.0))
    for _ in range(2):
        patches = Patches()
        OnCuda(Lines(".")).install(patches)
        hide_from_dynamo()
        compiled(torch.arange(4.0))
        patches.take_out()
        compiled(torch.arange(4.0))
    assert counter.frame_count == 1


@pytest.mark.slow
def test_graph_breaks_in_the_block_fail_with_their_lines() -> None:
    def breaks(x: torch.Tensor) -> torch.Tensor:
        torch._dynamo.graph_break()
        return x + 1

    with (
        pytest.raises(BudgetExceeded, match=r"graph-breaks: 1 \(limit 0\)\n.*test_compiled.py:\d+: "),
        budget(graph_breaks=0),
    ):
        torch.compile(breaks, backend="eager")(torch.arange(4.0))


@pytest.mark.slow
def test_a_recompile_in_the_block_fails_with_its_reason() -> None:
    compiled = torch.compile(lambda x, number: x + number, backend="eager", dynamic=False)
    compiled(torch.arange(4.0), 1)
    again = budget(recompiles=0)(compiled)
    with pytest.raises(BudgetExceeded, match=r"recompiles: 1 a step \(limit 0\)\n.*test_compiled.py:\d+: .*number"):
        again(torch.arange(4.0), 2)
