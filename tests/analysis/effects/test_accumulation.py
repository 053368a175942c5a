"""Which loops add up gradients of several backward passes, and how many they count."""

from __future__ import annotations

import ast

import pytest

from tests.analysis.facts import file_model
from trainlint.analysis.effects.accumulation import accumulation

BATCHES = """
def train(model, criterion, optimizer, scaler, loader, args, every):
    for step, (x, y) in enumerate(loader):
        loss = criterion(model(x), y)
        {body}
"""


def counts(code: str) -> list[tuple[int, str]]:
    model = file_model(code)
    found = [accumulation(model, block) for block in model.outline.loop_blocks.values()]
    lines = []
    for item in found:
        if item is not None:
            node = item.backwards[0].node
            assert isinstance(node, ast.Call)
            lines.append((node.lineno, item.count))
    return lines


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("loss.backward(); (step + 1) % every == 0 and optimizer.step()", "every"),
        ("scaler(loss, optimizer, update=(step + 1) % args.accum_iter == 0)", "args.accum_iter"),
        ("loss.backward()\n        if step % 4 == 3: optimizer.step()", "4"),
        ("loss.backward()\n        if (step + 1) % len(x): continue\n        optimizer.step()", ""),
    ],
)
def test_a_step_each_so_many_batches(body: str, count: str) -> None:
    assert counts(BATCHES.format(body=body)) == [(5, count)]


@pytest.mark.parametrize(
    "body",
    [
        "loss.backward(); optimizer.step()",
        "loss.backward()\n        if step % 1 == 0: optimizer.step()",
        "optimizer.zero_grad(); loss.backward()\n        if step % every == 0: optimizer.step()",
        "if step % every == 0:\n            loss.backward()\n            optimizer.step()",
        "loss.backward(); optimizer.step()\n        if step % every == 0: print(loss)",
    ],
)
def test_no_accumulation(body: str) -> None:
    assert counts(BATCHES.format(body=body)) == []


def test_a_loop_over_micro_batches_with_the_step_behind_it() -> None:
    code = """
    def train(model, optimizer, batches, accumulation_steps, epochs):
        for step in range(1000):
            for micro in range({}):
                loss = model(next(batches))
                loss.backward()
                {}
            optimizer.step()
    """
    assert counts(code.format("accumulation_steps", "pass")) == [(6, "accumulation_steps")]
    assert counts(code.format("1", "pass")) == []
    assert counts(code.format("accumulation_steps", "optimizer.step()")) == []
