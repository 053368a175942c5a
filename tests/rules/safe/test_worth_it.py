"""A fix is offered only where it gains something by itself."""

from __future__ import annotations

from tests.rules.safe.offered import fixed, fixes
from trainlint.finding import Safety

TRAIN = """
import torch


def train(model, optimizer, loader):
    total = 0.0
    for batch in loader:
        loss = model(batch.cuda(non_blocking=True)).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
        {besides}
    return total
"""


def test_a_sum_is_kept_on_the_device_where_nothing_else_reads_the_loss() -> None:
    assert "total += loss.detach()" in fixed(TRAIN.format(besides="pass"), "TRN201", Safety.UNSAFE)
    rare = "if step % 100 == 0: print(loss.item())"
    text = (
        TRAIN.format(besides=rare)
        .replace("for batch in", "for step, batch in")
        .replace("in loader", "in enumerate(loader)")
    )
    assert "total += loss.detach()" in fixed(text, "TRN201", Safety.UNSAFE)


def test_a_sum_stays_as_it_is_where_each_step_reads_the_loss_besides() -> None:
    assert "TRN201" not in fixes(TRAIN.format(besides="log(loss.item())"), "TRN201")
