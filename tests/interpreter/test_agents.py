"""An agent that learns in an environment: each of its actions belongs to a training step."""

from __future__ import annotations

from typing import Final

import pytest

from tests.interpreter.running import places, run_files
from trainlint.interpreter.machine.events import Happening

_START: Final = """
import torch
env = make()
model = torch.nn.Linear(4, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
"""
_ACT: Final = """
    for t in range(horizon):
        observation, reward, done, info = env.step(action)
        rewards[t] = torch.tensor(reward).cuda()
"""
_LEARN: Final = """
    for minibatch in minibatches:
        model(minibatch).sum().backward()
        optimizer.step()
"""


def _copies(code: str) -> list[str]:
    """The code of the lines that copy in steps."""
    lines = (_START + code).splitlines()
    _, events = run_files([("train.py", _START + code)])
    return [lines[int(place.partition(":")[2].split()[0]) - 1].strip() for place in places(events)]


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("for iteration in range(9):" + _ACT + _LEARN, id="acts, then learns"),
        pytest.param("for iteration in range(9):" + _LEARN + _ACT, id="learns, then acts"),
        pytest.param("def act():" + _ACT + "def learn():" + _LEARN + "while True:\n    act()\n    learn()", id="calls"),
        pytest.param(
            "def train():" + _ACT + "    " + _LEARN.strip("\n").replace("\n", "\n    ") + "\ntrain()", id="both"
        ),
    ],
)
def test_what_an_agent_sees_is_copied_in_each_step(code: str) -> None:
    assert _copies(code) == ["rewards[t] = torch.tensor(reward).cuda()"]


def test_what_an_environment_gives_has_to_be_copied() -> None:
    """It is new in each step, so a copy of it is only a guess; what was made before the step needs no copy in it."""
    made = "        torch.Tensor(limits).cuda()\n        torch.Tensor(observation).cuda()\n"
    code = _START + "limits = [1.0, 2.0]\nfor iteration in range(9):" + _ACT + made + _LEARN
    _, events = run_files([("train.py", code)])
    copies = [event.certainty for event in events if event.happening is Happening.DATA_COPY]
    assert copies == ["guess", "certain", "guess"]


@pytest.mark.parametrize("beside", ["", "    for rows in loader:\n        model(rows).sum().backward()\n"])
def test_a_loop_that_acts_and_updates_is_one_of_steps(beside: str) -> None:
    update = "    loss = model(rewards).sum()\n    loss.backward()\n    optimizer.step()\n    loss.item()\n"
    start = "from torch.utils.data import DataLoader\nloader = DataLoader([])\n"
    assert "loss.item()" in _copies(start + "for iteration in range(9):" + _ACT + beside + update)


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("for episode in range(9):" + _ACT, id="nothing is trained"),
        pytest.param(
            "def evaluate():" + _ACT + "for epoch in range(9):" + _LEARN + "    evaluate()", id="an evaluation"
        ),
        pytest.param("for epoch in range(9):" + _LEARN + "for episode in range(9):" + _ACT, id="after the training"),
    ],
)
def test_an_agent_that_does_not_learn_takes_no_step(code: str) -> None:
    assert _copies(code) == []


@pytest.mark.parametrize("action", ["action.cpu().numpy()", "output['actions'].detach().cpu()", "act(output)"])
def test_the_environment_takes_an_action_from_the_host(action: str) -> None:
    code = f"""
def act(output):
    return output.argmax().item()
for t in range(9):
    output = action = model(observation)
    observation, reward, done = env.step({action})
    output.sum().backward()
    optimizer.step()
"""
    assert _copies(code) == []
