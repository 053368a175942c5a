"""A toy model, trained before and after a SAFE fix of its loss, ends with the same bits."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.catalogue import STATED, source
from trainlint.engine.judge import judge
from trainlint.finding import Finding, Safety
from trainlint.fixing import fix_to_fixpoint
from trainlint.source import SourceFile
from trainlint_rules.attention.log_softmax_then_nll import LogSoftmaxThenNll

torch = pytest.importorskip("torch")

TRAINING = """
import torch
import torch.nn.functional as F


def train():
    torch.manual_seed(11)
    model = torch.nn.Sequential(torch.nn.Linear(6, 24), torch.nn.ReLU(), torch.nn.Linear(24, 5))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(20):
        inputs, targets = torch.randn(16, 6), torch.randint(0, 5, (16,))
        loss = F.nll_loss(F.log_softmax(model(inputs), dim=1), targets, reduction="sum")
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model
"""


def trained(text: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(compile(text, "train.py", "exec"), names)
    parameters: dict[str, Any] = names["train"]().state_dict()
    return parameters


def test_training_is_the_same_to_the_bit() -> None:
    def judged(text: SourceFile) -> tuple[Finding, ...]:
        return judge(text, [LogSoftmaxThenNll()], STATED).findings

    fixed = fix_to_fixpoint(source(TRAINING), judged, Safety.NUMERICS).source.text
    assert 'F.cross_entropy(model(inputs), targets, reduction="sum")' in fixed
    before, after = trained(TRAINING), trained(fixed)
    assert [name for name in before if not torch.equal(before[name], after[name])] == []


def test_a_dimension_counted_from_the_end_is_not_safe() -> None:
    findings = judge(source(TRAINING.replace("dim=1", "dim=-1")), [LogSoftmaxThenNll()], STATED).findings
    assert [item.fix.safety for item in findings if item.fix] == [Safety.UNSAFE]
