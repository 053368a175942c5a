"""`.detach()` is written only behind what is a tensor at all times."""

from __future__ import annotations

import pytest

from tests.rules.safe.offered import fixed, fixes
from trainlint.finding import Safety

TRAIN = """import torch


def spread(rows):
    return rows.std().mean().item()


def train(model, criterion, optimizer, loader, device):
    kept = []
    for inputs, targets in loader:
        inputs = inputs.to(device, non_blocking=True)
        outputs = model(inputs)
        loss = criterion(outputs, targets.to(device, non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        {then}
    return kept
"""


@pytest.mark.parametrize(
    "then",
    [
        "outputs.scale = inputs.std().item()\n        kept.append(outputs.scale)",
        "outputs.head.spread = spread(inputs)\n        kept.append(outputs.head.spread)",
        "scale = float(inputs.std())\n        outputs.scale = scale\n        kept.append(outputs.scale)",
        "if device:\n            outputs.scale = 1.0\n        kept.append(outputs.scale)",
        "value = 0.0\n        if device:\n            value = outputs\n        kept.append(value)",
        "kept.append(outputs if device else 0.0)",
        "kept.append(outputs)\n        print(outputs.logits.shape)",
        "kept.append(outputs)\n        print(outputs['logits'].shape)",
    ],
    ids=["item", "a helper", "a name in between", "now and then", "a start value", "one of two", "fields", "keys"],
)
def test_what_may_be_a_number_or_a_structure_is_left_alone(then: str) -> None:
    assert "TRN315" not in fixes(TRAIN.format(then=then), "TRN315")


@pytest.mark.parametrize("kept", ["outputs", "outputs[0]", "same"])
def test_a_tensor_is_detached(kept: str) -> None:
    then = f"same = outputs\n        kept.append({kept})"
    assert f"kept.append({kept}.detach())" in fixed(TRAIN.format(then=then), "TRN315", Safety.UNSAFE)


TERMS = """import torch


def train(model, criterion, optimizer, loader, with_penalty):
    total, penalties = 0.0, 0.0
    for inputs, targets in loader:
        main = criterion(model(inputs.cuda()), targets.cuda())
        penalty = {start}
        if with_penalty:
            penalty = main.square().mean()
        loss = main + penalty
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss
        penalties += penalty
    return total, penalties
"""


@pytest.mark.parametrize(("start", "detached"), [("0.0", ["loss"]), ("main.abs().mean()", ["loss", "penalty"])])
def test_a_term_of_a_loss_that_is_now_and_then_a_number_is_not_detached(start: str, detached: list[str]) -> None:
    after = fixed(TERMS.format(start=start), "TRN304", Safety.UNSAFE)
    assert [name for name in ("loss", "penalty") if f" += {name}.detach()" in after] == detached
