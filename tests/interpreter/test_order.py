"""The order in which files are given or executed changes nothing of what is found."""

from __future__ import annotations

import ast
from itertools import permutations
from typing import Final

import pytest

from tests.interpreter.running import places, run_files, told_in_a_step
from trainlint.interpreter.evaluation import run_project
from trainlint.interpreter.machine.events import Event
from trainlint.interpreter.project.modules import Project

FILES: Final = {
    "base.py": """
from callbacks import Reporter
class Trainer:
    def __init__(self, model, loader, optimizer):
        self.model, self.loader, self.optimizer = model, loader, optimizer
        self.callbacks = []
    def add(self, callback):
        self.callbacks.append(callback)
    def fit(self):
        for batch in self.loader:
            loss = self.compute(batch.cuda())
            loss.backward()
            self.optimizer.step()
            Reporter(self).report(loss)
""",
    "callbacks.py": """
import base
class Reporter:
    def __init__(self, trainer: "base.Trainer"):
        self.trainer = trainer
    def report(self, loss):
        print(loss.item())
        note(loss)
def note(loss):
    if loss > 3:
        print("high")
""",
    "main.py": """
import torch
from torch.utils.data import DataLoader
from project_model import Net
from special import SpecialTrainer
net = Net().cuda()
trainer = SpecialTrainer(net, DataLoader([]), torch.optim.SGD(net.parameters(), 0.1))
trainer.fit()
""",
    "project_model.py": """
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)
    def forward(self, x):
        scale = torch.tensor([1.0, 2.0]).cuda()
        return self.layer(x) * scale
""",
    "special.py": """
from base import Trainer
class SpecialTrainer(Trainer):
    def compute(self, x):
        output = self.model(x)
        return output[output > 0].sum()
""",
}


def test_files_in_any_order_give_the_same_events() -> None:
    def told(order: tuple[str, ...]) -> list[tuple[object, ...]]:
        _, events = run_files((path, FILES[path]) for path in order)
        return [(event.path, event.node.lineno, event.happening, event.level, event.chain) for event in events]

    first = told(tuple(FILES))
    assert len(first) >= 5
    assert all(told(order) == first for order in permutations(FILES))


@pytest.mark.parametrize("first", FILES)
def test_the_file_that_is_executed_first_changes_no_place(first: str) -> None:
    _, expected = run_files(FILES.items())
    project = Project((path, ast.parse(code)) for path, code in FILES.items())
    name = first.removesuffix(".py")
    project.modules = {name: project.modules[name], **project.modules}
    events: list[Event] = []
    run_project(project, events.append)
    assert places(events) == places(expected)


def test_a_method_gives_what_its_object_holds_by_then() -> None:
    kept = """
class Kept:
    def __init__(self):
        self.values = []
    def add(self, value):
        self.values.append(value)
        return self.all()
    def all(self):
        return [value for value in self.values]
kept = Kept()
kept.add("begin")
both = kept.add(torch.ones(3, device="cuda"))
"""
    assert told_in_a_step("print([value.item() for value in both])", kept) == ["ITEM sure"]


def test_trees_that_were_executed_before_give_the_same_again() -> None:
    """An editor's server keeps them, with what the run has noted in them."""
    code = """
def outer(kind, most):
    match kind:
        case True:
            return 1
    def inner(count):
        return most > count
    return inner
outer(True, 3)(2)
"""
    trees = [(path, ast.parse(text)) for path, text in {**FILES, "more.py": code}.items()]
    told = []
    for _ in range(2):
        events: list[Event] = []
        run_project(Project(trees), events.append)
        told.append(places(events))
    assert told[0] == told[1] != []
