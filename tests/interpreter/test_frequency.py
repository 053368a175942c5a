"""How often code runs: what is no part of a step although it stands in a loop that trains."""

from __future__ import annotations

from typing import Final

import pytest

from tests.interpreter.running import places, run_files

_START: Final = """
import numpy as np
import torch
from torch.utils.data import DataLoader
model = torch.nn.Linear(4, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
loader = DataLoader([])
"""


def _waits(code: str) -> list[str]:
    """The code of the lines that wait in steps."""
    lines = (_START + code).splitlines()
    _, events = run_files([("train.py", _START + code)])
    return [lines[int(place.partition(":")[2].split()[0]) - 1].strip() for place in places(events)]


def test_a_loop_over_batches_whose_inner_loop_trains_is_a_step() -> None:
    code = """
for batch in loader:
    for phase in phases:
        model(batch.cuda(non_blocking=True)).sum().backward()
        optimizer.step()
    print(model(batch.cuda(non_blocking=True)).sum().item())
"""
    assert len(_waits(code)) == 1


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(
            """
for index, batch in enumerate(loader):
    loss = model(batch.cuda(non_blocking=True)).sum()
    loss.backward()
    optimizer.step()
    rest = (offset + index) % args.log_freq
    if rest == 0:
        print(loss.item())
""",
            id="a remainder that was stored",
        ),
        pytest.param(
            """
for index, batch in enumerate(loader):
    for phase in phases:
        loss = model(batch.cuda(non_blocking=True)).sum()
        loss.backward()
        optimizer.step()
    if images < tick_start + images_per_tick:
        continue
    print(loss.item())
""",
            id="after `continue` where an inner loop steps the optimizer",
        ),
        pytest.param(
            """
def warm_up():
    model(torch.zeros(4, device="cuda")).sum().backward()
def run():
    warm_up()
    torch.cuda.synchronize()
    for batch in loader:
        model(batch.cuda(non_blocking=True)).sum().backward()
        optimizer.step()
for epoch in range(9):
    run()
""",
            id="once an epoch, beside what computes gradients to warm up",
        ),
        pytest.param(
            """
TABLE = np.zeros(4)
class Net(torch.nn.Module):
    def forward(self, x):
        if not hasattr(self, "scale"):
            self.register_buffer("scale", torch.tensor(TABLE, device="cuda"))
        return x * self.scale
net = Net()
for batch in loader:
    net(batch.cuda(non_blocking=True)).sum().backward()
    optimizer.step()
""",
            id="a buffer that is registered where it is missing",
        ),
        pytest.param(
            """
def run():
    for batch in loader:
        loss = model(batch.cuda(non_blocking=True)).sum()
        loss.backward()
        optimizer.step()
        if enough:
            return loss.item()
run()
""",
            id="before the loop is left",
        ),
        pytest.param(
            """
def visualize():
    for batch in loader:
        output = model(batch.cuda(non_blocking=True)).sum()
        output.backward()
        print(output.item())
visualize()
""",
            id="gradients for a picture",
        ),
        pytest.param(
            """
for batch in loader:
    loss = model(batch.cuda(non_blocking=True)).sum()
    loss.backward()
    if config.get("log_each", False):
        print(loss.item())
""",
            id="behind a setting that is off where nothing is said of it",
        ),
        pytest.param(
            """
from functools import lru_cache
@lru_cache(maxsize=None)
def table(size, device):
    return torch.arange(size).to(device)
for batch in loader:
    batch = batch.cuda(non_blocking=True)
    model(batch + table(8, batch.device)).sum().backward()
""",
            id="in a function that remembers what it gave",
        ),
    ],
)
def test_what_runs_in_few_steps_is_not_told(code: str) -> None:
    assert _waits(code) == []


@pytest.mark.parametrize("name", ["before_batch", "after_loss", "on_train_step_end"])
def test_a_callback_is_called_in_each_step(name: str) -> None:
    code = f"""
from training import Callback
class Mixing(Callback):
    def {name}(self):
        self.order = torch.arange(8).to(self.x.device)
"""
    assert len(_waits(code)) == 1


@pytest.mark.parametrize(("name", "waits"), [("on_loss_and_meter", 1), ("on_phase_end", 0), ("on_train_batch_end", 0)])
def test_a_known_framework_says_which_methods_it_calls_in_each_step(name: str, waits: int) -> None:
    code = f"""
from classy_vision.hooks import ClassyHook
class Watching(ClassyHook):
    @torch.no_grad()
    def {name}(self, task):
        if task.last_batch.loss.data.cpu().isnan().any() and task.step > 3:
            raise ValueError
"""
    assert len(_waits(code)) == waits


def test_an_interval_around_all_that_trains_is_the_step() -> None:
    learning = """
for batch in loader:
    if step % 40 == 0:
        loss = model(batch.cuda(non_blocking=True)).sum()
        loss.backward()
        optimizer.step()
        print(loss.item())
"""
    assert _waits(learning) == ["print(loss.item())"]
    trained_before = learning.replace(
        "    if step", "    model(batch.cuda(non_blocking=True)).sum().backward()\n    optimizer.step()\n    if step"
    )
    assert _waits(trained_before) == []


@pytest.mark.parametrize(
    "test",
    [
        "step % 50 == 0 and loss > 3",
        "not (step % 50 or loss < 3)",
        "step % 50 == 0 and (loss > 3 or loss < 1) and shown",
    ],
)
def test_a_part_of_a_test_is_evaluated_as_often_as_those_before_let_it_be(test: str) -> None:
    code = """
for step, batch in enumerate(loader):
    loss = model(batch.cuda(non_blocking=True)).sum()
    loss.backward()
    optimizer.step()
    if {test}:
        pass
"""
    assert _waits(code.format(test=test)) == []
    assert len(_waits(code.format(test=test).replace("step % 50", "rest"))) == 1


def test_a_constant_that_something_unknown_may_replace_decides_no_test() -> None:
    code = """
best, count = None, 0
if ask():
    best, count = read(), read()
for batch in loader:
    loss = model(batch.cuda(non_blocking=True)).sum()
    loss.backward()
    if best is not None:
        print(loss.item())
    if count:
        print(loss.item())
"""
    assert _waits(code) == ["print(loss.item())"] * 2
