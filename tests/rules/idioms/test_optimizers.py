"""What is an action of a step of training, of whose, and what surely comes first?"""

from __future__ import annotations

from tests.analysis.facts import file_model
from trainlint_rules.optimizer.idioms.optimizers import (
    Act,
    action_of,
    actions,
    always_runs_before,
    round_of,
)

STEP = """
    import torch
    from torch.optim.lr_scheduler import StepLR

    def train(model, env, noise_scheduler, profiler, loader, lr_scheduler):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        schedule = StepLR(optimizer, 30)
        scaler = torch.amp.GradScaler("cuda")
        for x, y in loader:
            loss = model(x, y)
            scaler.scale(loss).backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            schedule.step()
            lr_scheduler.step()
            model.zero_grad()
            env.step(x)
            profiler.step()
            image = noise_scheduler.step(x, y)
            if x is None:
                optimizer.step(lambda: 1)

            def later():
                optimizer.zero_grad()
"""


def test_actions_are_found_in_order_with_their_owners() -> None:
    model = file_model(STEP)
    loop = next(iter(model.outline.loop_blocks.values()))
    found = actions(model, loop)
    assert [(item.act, item.owner, item.sure) for item in found] == [
        (Act.BACKWARD, "scaler.scale(loss)", True),
        (Act.CLIP, "model.parameters()", True),
        (Act.STEP, "optimizer", True),
        (Act.SCHEDULE, "schedule", True),
        (Act.SCHEDULE, "lr_scheduler", False),
        (Act.CLEAR, "model", True),
        (Act.STEP, "optimizer", True),
    ]
    assert [item.closure for item in found if item.act is Act.STEP] == [False, True]
    assert all(round_of(item.place.block) is loop for item in found)
    first, last = found[0], found[-1]
    assert always_runs_before(first.place, last.place)
    assert not always_runs_before(last.place, first.place)


def test_other_calls_are_no_actions() -> None:
    model = file_model(STEP)
    names = [place for name in ("GradScaler", "model", "parameters") for place in model.outline.calls.get(name, ())]
    assert names
    assert all(action_of(model, place) is None for place in names)
