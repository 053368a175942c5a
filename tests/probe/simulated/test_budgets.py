"""Budgets on a simulated GPU count by its log."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from math import inf

import pytest
import torch
from torch import nn

from trainlint_probe import UnusableBudget, allow, budget, simulated_gpu

pytest_plugins = ("pytester",)


@pytest.fixture
def _gpu() -> Iterator[None]:
    with simulated_gpu():
        yield


def counts(spent: budget, limit: str) -> dict[str, float]:
    assert spent.spending is not None
    return {item.what: item.count for use in spent.spending.uses if use.limit == limit for item in use.lines}


@pytest.mark.usefixtures("_gpu")
def test_waits_and_blocking_copies_are_syncs() -> None:
    x, host = torch.arange(4.0, device="cuda"), torch.ones(4)
    with budget(syncs=inf, pageable_copies=inf) as spent:
        torch.where(x > 1)  # waits in C++: no replaced method would see it
        host.sum().item()
        host.to("cuda", non_blocking=True)
        x.cpu()

    assert counts(spent, "syncs") == {"torch.where": 1, "Tensor.cpu": 1}
    assert counts(spent, "pageable-copies") == {"Tensor.to": 1, "Tensor.cpu": 1}


@pytest.mark.usefixtures("_gpu")
def test_a_line_is_named_and_a_region_allowed() -> None:
    loss = torch.ones((), device="cuda")
    with budget(syncs=0) as spent, allow("logged"):
        loss.item()
    assert spent.spending is not None
    ((item,),) = (use.lines for use in spent.spending.uses)
    assert item.allowed == "logged"
    assert item.at is not None
    assert item.at.path.endswith("test_budgets.py")


@pytest.mark.usefixtures("_gpu")
def test_what_it_says_nothing_of_is_named() -> None:
    with budget(graph_breaks=0, recompiles=0, allocations=0, data_wait_percent=0) as spent:
        pass
    assert spent.spending is not None
    assert {use.not_counted for use in spent.spending.uses} == {"not counted on a simulated GPU"}
    assert spent.spending.notes == ("Counted on a simulated GPU.",)


def test_tensors_are_known_when_it_is_entered_again() -> None:
    gpu = simulated_gpu("a100-80gb", devices=2)
    with gpu:
        layer = nn.Linear(2, 2).to("cuda:1")
    assert not torch.cuda.is_available()
    with gpu:
        assert layer.weight.device == torch.device("cuda:1")


def test_it_decorates_coroutines() -> None:
    @simulated_gpu()
    async def name() -> str:
        return str(torch.cuda.get_device_name())

    assert asyncio.run(name()) == "NVIDIA H100 80GB HBM3"


@pytest.mark.usefixtures("_gpu")
def test_there_is_one_machine() -> None:
    with pytest.raises(UnusableBudget, match="name more devices"), simulated_gpu():
        pass


def test_a_budget_is_opened_inside() -> None:
    with budget(graph_breaks=0), pytest.raises(UnusableBudget, match="open the budget inside"), simulated_gpu():
        pass
    assert not torch.cuda.is_available()


MARKED = """
    import pytest, torch
    from torch import nn

    @pytest.fixture(scope="module")
    def layer():
        return nn.Linear(2, 2).to("cuda")

    def step(layer):
        return layer(torch.ones(1, 2, device="cuda")).sum().item()
"""


def outcomes(pytester: pytest.Pytester, tests: str, *arguments: str) -> pytest.RunResult:
    pytester.makepyfile(f"{MARKED}{tests}")
    words = ("-p", "no:randomly", "-p", "no:cacheprovider", "--strict-markers", *arguments)
    return pytester.runpytest_inprocess(*words)


def test_a_marked_test_and_its_fixtures_run_on_the_device_of_the_project(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\ntrainlint_device = simulated:a100-80gb\n")
    result = outcomes(
        pytester,
        """
    @pytest.mark.trainlint_budget(syncs=1)
    def test_kept(layer):
        assert "A100" in torch.cuda.get_device_name()
        step(layer)

    @pytest.mark.trainlint_budget(syncs=0)
    def test_exceeded(layer):
        step(layer)

    def test_of_the_host():
        assert not torch.cuda.is_available()
    """,
    )
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*trainlint_budget: syncs: 1 a step (limit 0)", "*: Tensor.item, 1"])
    result.stdout.fnmatch_lines(["*test_kept: syncs: 1 a step (limit 1); counted on a simulated GPU"])


def test_a_marker_may_name_its_device(pytester: pytest.Pytester) -> None:
    result = outcomes(
        pytester,
        """
    @pytest.mark.trainlint_budget(syncs=1, device="simulated")
    def test_kept(layer):
        step(layer)

    @pytest.mark.trainlint_budget(syncs=1, device="simulated:nothing")
    def test_wrong():
        pass
    """,
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*trainlint_budget: nothing is no GPU that trainlint knows*"])


def test_a_wrong_device_is_refused_at_once(pytester: pytest.Pytester) -> None:
    result = outcomes(pytester, "", "--trainlint-device", "cuda")
    assert result.ret is pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*trainlint_device: write auto, simulated or simulated:h100, not cuda"])
