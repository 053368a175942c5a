"""A toy model, trained before and after a SAFE fix of an old name or argument, ends with the same bits."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from tests.rules.catalogue import STATED, source
from trainlint.engine.judge import judge
from trainlint.finding import Finding, Safety
from trainlint.fixing import FixResult, fix_to_fixpoint
from trainlint.rule import Rule
from trainlint.source import SourceFile
from trainlint_rules.api.deprecated_elsewhere import DeprecatedElsewhere
from trainlint_rules.api.private_collate import PrivateCollate
from trainlint_rules.api.removed_keyword import RemovedKeyword

torch = pytest.importorskip("torch")


OLDER = """
import torch
import torch.nn.functional as F
from torch.nn import init
from torch.nn.utils import clip_grad_norm


def train():
    torch.manual_seed(5)
    model = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.Conv2d(2, 1, 1))
    init.kaiming_normal(model[0].weight, mode="fan_out")
    init.constant(model[0].bias, 0.1)
    torch.nn.init.orthogonal(model[1].weight)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(6):
        images = torch.randn(4, 1, 5, 5)
        loss = F.upsample(model(images), scale_factor=2, mode="bilinear").square().mean()
        optimizer.zero_grad()
        loss.backward()
        clip_grad_norm(model.parameters(), 0.5)
        optimizer.step()
    return model
"""


REDUCTIONS = """
import torch
import torch.nn.functional as F


def train():
    torch.manual_seed(13)
    model = torch.nn.Linear(3, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(4):
        x = torch.randn(5, 3)
        summed = F.cross_entropy(model(x), torch.arange(5) % 2, size_average=False)
        loss = summed + torch.nn.MSELoss(reduce=False)(model(x), x[:, :2]).mean() + torch.nn.L1Loss(
            size_average=True,
        )(model(x), x[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model
"""

COLLATED = """
import torch
from torch.utils.data import DataLoader
from torch.utils.data._utils.collate import default_collate


def train():
    torch.manual_seed(17)
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    rows = [torch.randn(3) for _ in range(12)]
    for batch in DataLoader(rows, 4, True, collate_fn=lambda items: default_collate(items) * 2):
        loss = model(batch).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model
"""


FIXES: list[tuple[type[Rule], str, tuple[str, ...], tuple[str, ...]]] = [
    (
        DeprecatedElsewhere,
        OLDER,
        ("init.kaiming_normal_(", "F.interpolate(", "clip_grad_norm_(model", "torch.nn.init.orthogonal_("),
        ("upsample",),
    ),
    (RemovedKeyword, REDUCTIONS, ('reduction="sum"', 'reduction="none"', 'reduction="mean"'), ("size_average",)),
    (PrivateCollate, COLLATED, ("from torch.utils.data import default_collate",), ("_utils",)),
]


def safely_fixed(rule: type[Rule], text: str) -> FixResult:
    def judged(text: SourceFile) -> tuple[Finding, ...]:
        return judge(text, [rule()], STATED).findings

    return fix_to_fixpoint(source(text), judged, rule.fix_safety or Safety.SAFE)


def trained(text: str) -> tuple[dict[str, Any], Any]:
    """The parameters after training and what the host's generator would draw next."""
    names: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(text, "train.py", "exec"), names)
        parameters = names["train"]().state_dict()
    assert all(tensor.isfinite().all() for tensor in parameters.values())
    return parameters, torch.rand(4)


@pytest.mark.parametrize(("rule", "text", "written", "gone"), FIXES, ids=[rule.code for rule, _, _, _ in FIXES])
def test_training_is_the_same_to_the_bit(
    rule: type[Rule], text: str, written: tuple[str, ...], gone: tuple[str, ...]
) -> None:
    assert_same_training(rule, text, written, gone)


def assert_same_training(rule: type[Rule], text: str, written: tuple[str, ...], gone: tuple[str, ...]) -> None:
    """The fixed program has the pieces `written`, has lost those `gone`, and trains to the same bits."""
    fixed = safely_fixed(rule, text).source.text
    assert [piece for piece in written if piece not in fixed] == []
    assert [piece for piece in gone if piece in fixed] == []

    before, next_draw = trained(text)
    after, next_draw_after = trained(fixed)

    assert before.keys() == after.keys()
    assert [name for name in before if not torch.equal(before[name], after[name])] == []
    assert torch.equal(next_draw, next_draw_after)
