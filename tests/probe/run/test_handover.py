"""What workers would cost a training that makes its batches itself is tried after the window."""

from __future__ import annotations

import pytest
import torch

from tests.probe.run.running import Runner, only
from trainlint_probe.watch.afterwards.handover import handover


def test_a_loader_that_is_waited_for_tells_what_its_batches_cost_to_hand_over(runner: Runner) -> None:
    (loader,) = only(runner.run("slow_loader")).loaders
    assert loader.batch_bytes == 4 * 8 * 4 + 4 * 4  # four items of eight numbers, and four targets
    assert loader.handover_ms is not None
    assert loader.handover_ms > 0
    assert loader.cpu_ms is not None
    assert loader.cpu_ms < loader.wait_ms  # each item sleeps


@pytest.mark.parametrize(
    "batch",
    [object(), [torch.ones(2), {"mask": {1, 2}}], torch.nn.Parameter(torch.ones(2)), torch.eye(2).to_sparse()],
    ids=["object", "set", "parameter", "sparse"],
)
def test_what_is_no_plain_data_is_not_handed_over(batch: object) -> None:
    assert handover(batch) is None


def test_plain_data_is_handed_over_with_its_size() -> None:
    found = handover({"x": torch.ones(100, 10), "names": ["a", "b"], "both": (torch.ones(2, dtype=torch.int64), 3)})
    assert found is not None
    assert found.bytes == 4000 + 16
    assert found.ms > 0
