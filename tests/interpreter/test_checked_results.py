"""Functions of torch that wait to learn whether they succeeded."""

from __future__ import annotations

import pytest

from tests.interpreter.running import places, run_files


@pytest.mark.parametrize(
    ("call", "told"),
    [
        pytest.param("torch.linalg.matrix_rank(output)", ["train.py:8 CHECKED sure"], id="without another"),
        pytest.param("torch.linalg.inv(output)", ["train.py:8 CHECKED sure"], id="with another"),
        pytest.param("torch.linalg.inv_ex(output)", [], id="hands its error codes over"),
        pytest.param("torch.linalg.matrix_rank(torch.zeros(3, 3))", [], id="of the host"),
        pytest.param("numpy.linalg.matrix_rank(unknown)", [], id="of another library"),
    ],
)
def test_a_checked_result_is_a_wait(call: str, told: list[str]) -> None:
    code = f"""
import numpy, torch
from torch.utils.data import DataLoader
model = torch.nn.Linear(3, 3).cuda()
for batch in DataLoader([], pin_memory=True):
    output = model(batch.cuda(non_blocking=True))
    output.sum().backward()
    {call}
"""
    _, events = run_files([("train.py", code)])
    assert places(events) == told
