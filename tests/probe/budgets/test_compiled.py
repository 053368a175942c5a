"""Budgets around functions that torch.compile compiles."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

import pytest
import torch

from trainlint_probe import BudgetExceeded, budget


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Nothing is compiled yet."""
    torch.compiler.reset()
    yield
    torch.compiler.reset()


def moves(x: torch.Tensor) -> torch.Tensor:
    """What the guard replaces, where torch.compile makes one graph of it."""
    y = x[1:].to(torch.float64).to("cpu")
    y.copy_(x[1:])
    return torch.where(y > 0, y, -y)


@pytest.mark.slow
def test_a_budget_breaks_no_graph_and_makes_none_be_compiled_again() -> None:
    compiled = torch.compile(moves, backend="eager", fullgraph=True)
    compiled(torch.arange(4.0))
    with budget(syncs=0, graph_breaks=0, recompiles=0):
        compiled(torch.arange(4.0))
    compiled(torch.arange(4.0))
    with budget(syncs=0, graph_breaks=0, recompiles=0):
        compiled(torch.arange(4.0))
    torch.compiler.reset()
    with budget(graph_breaks=0):
        torch.compile(moves, backend="eager", fullgraph=True)(torch.arange(4.0))


@pytest.mark.slow
def test_a_read_between_two_graphs_counts_and_brings_no_other_break() -> None:
    def decides(x: torch.Tensor) -> torch.Tensor:
        if torch.equal(x, x) and x.nonzero().tolist():
            return x + x.sum().item()
        return x.cpu()

    compiled = torch.compile(decides, backend="eager")
    compiled(torch.arange(4.0))
    before = torch._dynamo.utils.counters["graph_break"].total()
    with budget(syncs=inf, graph_breaks=0, recompiles=0) as spent:
        compiled(torch.arange(4.0))
    assert torch._dynamo.utils.counters["graph_break"].total() == before
    assert spent.spending is not None
    assert {item.what: item.count for item in spent.spending.uses[0].lines} == _READS


_READS = {"Tensor.nonzero": 1, "Tensor.tolist": 1, "Tensor.item": 1}


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
