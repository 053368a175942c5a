"""Where a tensor lies after a fix: a device of None and a default device are not what they seem."""

from __future__ import annotations

import pytest

from tests.rules.safe.offered import fixed, fixes

MADE = """import os

import torch
import torch.distributed as dist


def train(model, optimizer, loader, {parameter}):
    {more}
    for batch in loader:
        mask = torch.zeros(4, 3).cuda({given})
        optimizer.zero_grad()
        model(batch.cuda(), mask).sum().backward()
        optimizer.step()
"""


@pytest.mark.parametrize(
    ("given", "parameter", "more", "expected"),
    [
        ("0", "args", "", "0"),
        ("'cuda:1'", "args", "", "'cuda:1'"),
        ("device", "device: torch.device", "", "device"),
        ("", "args", "", '"cuda"'),
        ("rank", "rank", "", None),
        ("rank", "rank: int = None", "", None),
        ("rank", "rank: int | None", "", None),
        ("args.gpu", "args", "", None),
        ("rank", "args", "rank = args.gpu", None),
        ("rank", "rank: int", "if loader is None:\n        rank = None", None),
    ],
)
def test_cuda_of_what_may_be_none_stays(given: str, parameter: str, more: str, expected: str | None) -> None:
    code = MADE.format(given=given, parameter=parameter, more=more or "pass")
    if expected is None:
        assert fixes(code, "TRN207") == {}
    else:
        assert f"torch.zeros(4, 3, device={expected})" in fixed(code, "TRN207")
