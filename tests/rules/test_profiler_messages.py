"""Which of its two messages TRN904 gives."""

from __future__ import annotations

import pytest

from tests.rules.catalogue import judged
from trainlint_rules.measuring.profiler_without_schedule import ProfilerWithoutSchedule

TRAINING = """
from torch.profiler import profile, schedule


def train(model, optimizer, loader):
    with profile({}) as profiler:
        for inputs in loader:
            loss = model(inputs.cuda(non_blocking=True)).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
"""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "the profiler records every step of training (line 7: for inputs in loader)"),
        ("schedule=None", "the profiler records every step of training (line 7: for inputs in loader)"),
        (
            "schedule=schedule(wait=1, warmup=1, active=3)",
            "nothing calls `profiler.step()`: the profiler stays in the first phase of its schedule",
        ),
    ],
)
def test_a_missing_schedule_and_one_that_nobody_steps_through_differ(arguments: str, message: str) -> None:
    (finding,) = judged(TRAINING.format(arguments), ProfilerWithoutSchedule).findings
    assert finding.message == message
