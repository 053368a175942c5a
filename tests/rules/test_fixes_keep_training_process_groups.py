"""The SAFE fixes around process groups: what they leave trains to the same bits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.rules.catalogue import STATED
from trainlint.engine.judge import judge
from trainlint.finding import Safety
from trainlint.fixing import fix_to_fixpoint
from trainlint.rule import Rule
from trainlint.source import source_from_text
from trainlint_rules.api.deprecated_elsewhere import DeprecatedElsewhere

torch = pytest.importorskip("torch")
dist = pytest.importorskip("torch.distributed")

GATHERING = """
import torch.distributed as dist


def gather_weights(flat, shard, group):
    dist._all_gather_base(flat, shard, group=group)
    return flat
"""


@pytest.fixture
def one_process() -> Iterator[None]:
    """A process group of this process alone, on the CPU."""
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    try:
        yield
    finally:
        dist.destroy_process_group()


def fixed(code: str, rule: Rule) -> str:
    source = source_from_text("train.py", code)
    result = fix_to_fixpoint(source, lambda text: judge(text, [rule], STATED).findings, Safety.UNSAFE)
    assert result.applied
    assert not result.remaining
    return result.source.text


def train(model: Any) -> list[Any]:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(5):
        model(torch.ones(3, 4)).square().sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    return [parameter.detach().clone() for parameter in model.parameters()]


def space_of(code: str) -> dict[str, Any]:
    space: dict[str, Any] = {}
    exec(compile(code, "page", "exec"), space)
    return space


@pytest.mark.usefixtures("one_process")
@pytest.mark.filterwarnings("ignore")
def test_the_public_collective_gathers_the_same_bits() -> None:
    before = GATHERING
    given = torch.randn(16)
    results = [
        space_of(code)["gather_weights"](torch.empty(16), given, None)
        for code in (before, fixed(before, DeprecatedElsewhere()))
    ]
    assert torch.equal(*results)
