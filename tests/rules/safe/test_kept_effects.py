"""A fix leaves out no call, `:=`, `await` or `yield` that its rule has not proved to be of no use."""

from __future__ import annotations

import pytest

from tests.rules.safe.offered import fixes, safe

SCHEDULER = """import torch


def schedule(optimizer, log):
    return torch.optim.lr_scheduler.StepLR(optimizer, 10, verbose={given})
"""
LOSS = """import torch.nn.functional as F


def loss(output, target, options, log):
    return F.mse_loss(output, target, {given})
"""


@pytest.mark.parametrize("given", ["(shown := True)", "log()", "log.level", "not log('made')", "[log(1) for _ in 'a']"])
def test_an_argument_with_an_effect_is_kept(given: str) -> None:
    expected = {"TRN814"} if given == "log.level" else set()
    assert safe(SCHEDULER.format(given="False"), "TRN814") == {"TRN814"}
    assert safe(SCHEDULER.format(given="True"), "TRN814") == set()
    assert set(fixes(SCHEDULER.format(given=given), "TRN814")) == expected


def test_nothing_waits_less() -> None:
    code = SCHEDULER.replace("def schedule", "async def schedule")
    assert fixes(code.format(given="await log()"), "TRN814") == {}
    assert fixes(SCHEDULER.format(given="(yield)"), "TRN814") == {}


def test_no_keyword_beside_unpacked_ones() -> None:
    assert safe(LOSS.format(given="size_average=False"), "TRN814") == {"TRN814"}
    assert fixes(LOSS.format(given="size_average=False, **options"), "TRN814") == {}


@pytest.mark.parametrize(
    ("call", "is_safe"),
    [
        ("nn.MSELoss(size_average=False)", True),
        ("nn.CrossEntropyLoss(weight, size_average=False)", False),
        ("F.mse_loss(output, target, size_average=False)", True),
        ("F.cross_entropy(output, target, weight, size_average=False)", False),
        ("nn.Hardtanh(min_value=-1)", True),
        ("nn.Hardtanh(min_value=None)", False),
    ],
)
def test_a_keyword_is_renamed_only_if_nothing_else_stands_for_it(call: str, is_safe: bool) -> None:
    code = f"import torch.nn as nn\nimport torch.nn.functional as F\n\nloss = {call}\n"
    assert safe(code, "TRN814") == ({"TRN814"} if is_safe else set())
