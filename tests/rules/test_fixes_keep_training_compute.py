"""A toy model, trained before and after a SAFE fix of what the device computes, ends with the same bits."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from tests.rules.catalogue import STATED, source
from trainlint.engine.judge import judge
from trainlint.finding import Finding, Safety
from trainlint.fixing import fix_to_fixpoint
from trainlint.rule import Rule
from trainlint.source import SourceFile
from trainlint_rules.compute.tensor_copied_from_tensor import TensorCopiedFromTensor

torch = pytest.importorskip("torch")

DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]

COPIES = """
import torch


def train(device):
    torch.manual_seed(3)
    model = torch.nn.Linear(8, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    offsets = torch.tensor(torch.arange(4, device=device))
    slope = torch.tensor(torch.randn(4, 8, device=device).T)
    for _ in range(10):
        inputs = torch.randn(16, 8, device=device)
        targets = torch.tensor(inputs @ slope + offsets)
        loss = torch.nn.functional.mse_loss(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model
"""

FIXES: list[tuple[type[Rule], str, tuple[str, ...]]] = [
    (
        TensorCopiedFromTensor,
        COPIES,
        ("torch.arange(4, device=device).detach().clone()", ".T.detach().clone()", "+ offsets).detach().clone()"),
    ),
]


def trained(text: str, device: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(compile(text, "train.py", "exec"), names)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="To copy construct")
        parameters: dict[str, Any] = names["train"](device).state_dict()
    assert all(tensor.isfinite().all() for tensor in parameters.values())
    return parameters


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("rule", "text", "written"), FIXES, ids=[rule.code for rule, _, _ in FIXES])
def test_training_is_the_same_to_the_bit(rule: type[Rule], text: str, written: tuple[str, ...], device: str) -> None:
    def judged(text: SourceFile) -> tuple[Finding, ...]:
        return judge(text, [rule()], STATED).findings

    fixed = fix_to_fixpoint(source(text), judged, rule.fix_safety or Safety.SAFE).source.text
    assert [piece for piece in written if piece not in fixed] == []

    before, after = trained(text, device), trained(fixed, device)

    assert before.keys() == after.keys()
    assert [name for name in before if not torch.equal(before[name], after[name])] == []
