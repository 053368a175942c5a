"""What a class leaves to its subclasses is theirs, whoever makes them."""

from __future__ import annotations

from typing import Final

import pytest

from tests.interpreter.running import places, run_files

_BASE: Final = """
class Learner:
    {left}
    def train(self):
        while True:
            self.update(next(self.batches))
"""
_MINE: Final = """
from base import Learner
class MyLearner(Learner):
    def __init__(self, model, optimizer):
        self.model, self.optimizer = model, optimizer
    def update(self, batch):
        loss = self.model(batch.cuda(non_blocking=True)).sum()
        loss.backward()
        self.optimizer.step()
        print(loss.item())
"""


@pytest.mark.parametrize(
    "left",
    [
        pytest.param("def update(self, batch):\n        raise NotImplementedError", id="raises"),
        pytest.param('def update(self, batch):\n        """Train on a batch."""\n        pass', id="does nothing"),
        pytest.param("rate = 0.1", id="is missing"),
    ],
)
def test_a_method_that_a_class_leaves_open_is_that_of_its_subclasses(left: str) -> None:
    _, events = run_files([("base.py", _BASE.format(left=left)), ("mine.py", _MINE)])
    assert places(events) == ["mine.py:10 ITEM orphan"]
    assert {event.chain[0].path for event in events} == {"base.py"}


def test_a_method_that_a_class_defines_is_its_own() -> None:
    own = _BASE.format(left="def update(self, batch):\n        log(batch)")
    _, events = run_files([("base.py", own), ("mine.py", _MINE)])
    assert all(event.chain[0].path == "mine.py" for event in events)


def test_an_attribute_that_only_a_subclass_assigns_is_that_of_the_subclass() -> None:
    base = """
class Learner:
    def train(self):
        for batch in self.source:
            self.model(batch.cuda()).sum().backward()
"""
    mine = """
from base import Learner
from torch.utils.data import DataLoader
class MyLearner(Learner):
    source = DataLoader([], pin_memory=True)
"""
    _, events = run_files([("base.py", base), ("mine.py", mine)])
    assert places(events) == ["base.py:5 BATCH_COPY orphan"]


def test_a_generic_base_with_its_parameters_is_the_base() -> None:
    base = """
from typing import Generic, TypeVar
Batch = TypeVar("Batch")
class Learner(Generic[Batch]):
    class Updater:
        def __init__(self, optimizer):
            self.wrapped = optimizer
        def step(self, loss):
            loss.backward()
            self.wrapped.step()
    def __init__(self, model, optimizer):
        self.model, self.updater = model, self.Updater(optimizer)
"""
    mine = """
from base import Learner
from torch.utils.data import DataLoader
class MyLearner(Learner[dict]):
    def train(self):
        for batch in DataLoader([]):
            loss = self.model(batch.cuda(non_blocking=True)).sum()
            self.updater.step(loss)
            print(loss.item())
"""
    _, events = run_files([("base.py", base), ("mine.py", mine)])
    assert places(events) == ["mine.py:9 ITEM orphan"]
