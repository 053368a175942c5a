"""What the run knows of loaders: what they are given, and what becomes of their batches."""

from __future__ import annotations

import pytest

from tests.interpreter.running import run_files
from trainlint.interpreter.machine.loaders import ExecutedLoader, Options

_START = """
import functools
import torch
import pytorch_lightning as pl
from accelerate import Accelerator
from torch.utils.data import DataLoader

class Rows(torch.utils.data.Dataset):
    def __getitem__(self, index):
        return read(index)

model = torch.nn.Linear(4, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.1)

def epoch_of(batches):
    for batch in batches:
        model(batch.cuda(non_blocking=True)).sum().backward()
        optimizer.step()
"""


def _loaders(code: str) -> list[ExecutedLoader]:
    run, _ = run_files([("train.py", _START + code)])
    return [use for _, use in run.loaders]


def _loader(code: str) -> ExecutedLoader:
    [use] = _loaders(code)
    return use


@pytest.mark.parametrize(
    ("code", "options"),
    [
        pytest.param("DataLoader(Rows())", Options(0, False, False), id="the defaults"),
        pytest.param(
            "DataLoader(Rows(), 64, True, None, None, 4, None, True)", Options(4, True, False), id="positions"
        ),
        pytest.param("DataLoader(Rows(), **{'num_workers': 4})", Options(4, False, False), id="a dict"),
        pytest.param("DataLoader(Rows(), **options)", Options(None, None, None), id="a dict out of sight"),
        pytest.param("DataLoader(Rows(), num_workers=args.workers)", Options(None, False, False), id="an option"),
        pytest.param(
            "def make(pin=False, n=2):\n    return DataLoader(Rows(), pin_memory=pin, num_workers=n)\nmake()",
            Options(2, False, False),
            id="defaults of the function around",
        ),
        pytest.param(
            "def make(pin):\n    return DataLoader(Rows(), pin_memory=pin)\nmake(True)\nmake(False)",
            Options(0, None, False),
            id="not the same each time",
        ),
    ],
)
def test_options_of_a_loader(code: str, options: Options) -> None:
    assert _loader(code).options == options


def test_a_loader_of_training_steps_whose_batches_are_copied() -> None:
    use = _loader("epoch_of(DataLoader(Rows()))")
    assert use.begun is not None
    assert use.trains is not None
    assert use.copied
    assert use.again is None


@pytest.mark.parametrize("converted", ["batch.float()", "batch.contiguous()", "torch.flip(batch, [1])"])
def test_what_a_batch_is_converted_to_is_of_the_same_loader(converted: str) -> None:
    code = f"for batch in DataLoader(Rows()):\n    model({converted}.cuda()).sum().backward()\n    optimizer.step()"
    assert _loader(code).copied


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("loader = DataLoader(Rows())\nfor epoch in range(9):\n    epoch_of(loader)", id="epochs"),
        pytest.param(
            "loader = DataLoader(Rows())\nepoch_of(loader)\nfor epoch in range(9):\n    epoch_of(loader)",
            id="once before",
        ),
        pytest.param(
            "def endless(loader):\n    while True:\n        yield from loader\nepoch_of(endless(DataLoader(Rows())))",
            id="an endless generator",
        ),
        pytest.param("loader = DataLoader(Rows())\nfor epoch in range(9):\n    batches = iter(loader)", id="iter"),
    ],
)
def test_a_loader_that_is_gone_through_again(code: str) -> None:
    assert _loader(code).again is not None


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("for epoch in range(9):\n    epoch_of(DataLoader(Rows()))", id="built anew"),
        pytest.param("loader = DataLoader(Rows())\nfor part in (1, 2):\n    epoch_of(loader)", id="a list in the code"),
    ],
)
def test_a_loader_that_no_loop_goes_through_again(code: str) -> None:
    use = _loader(code)
    assert use.begun is not None
    assert use.again is None


def test_batches_of_each_loader_are_its_own() -> None:
    code = """
train, held_out = DataLoader(Rows(), shuffle=True), DataLoader(Rows())
def batches_of(loader):
    for batch in loader:
        yield batch
epoch_of(batches_of(train))
for batch in batches_of(held_out):
    print(model(batch))
"""
    first, second = _loaders(code)
    assert first.trains is not None
    assert second.trains is None
    assert second.begun is not None


def test_batches_are_of_their_loader_beyond_the_ways_to_call_a_function_that_are_told_apart() -> None:
    code = "def numbered(loader):\n    for batch in loader:\n        yield batch\n"
    code += "".join(f"for batch in numbered(DataLoader(Rows(), {size})):\n    pass\n" for size in range(1, 10))
    code += "last = DataLoader(Rows(), 64)\nfor epoch in range(9):\n    epoch_of(numbered(last))\n"
    *others, last = _loaders(code)
    assert last.trains is not None
    assert last.again is not None
    assert all(other.trains is None and other.again is None for other in others)


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("loader = Accelerator().prepare(DataLoader(Rows()))", id="Accelerate"),
        pytest.param("loader = Accelerator().prepare(model, DataLoader(Rows()))[1]", id="among others"),
    ],
)
def test_a_loader_that_a_launcher_takes_over_is_copied(code: str) -> None:
    assert _loader(code).copied


def test_a_loader_that_lightning_asks_for() -> None:
    code = """
class Data(pl.LightningDataModule):
    def train_dataloader(self):
        return DataLoader(Rows(), 8)
    def val_dataloader(self):
        return DataLoader(Rows(), 64)
"""
    train, held_out = _loaders(code)
    assert train.copied
    assert train.trains is not None
    assert train.again is not None
    assert held_out.copied
    assert held_out.again is not None
    assert held_out.trains is None


def test_a_class_that_many_programs_give_their_loaders_to() -> None:
    system = """
class System(pl.LightningModule):
    def __init__(self, loader):
        self.loader = loader
    def train_dataloader(self):
        return self.loader
"""
    programs = "System(DataLoader(Rows(), 8))\n" * 12
    assert all(use.trains and use.copied for use in _loaders(system + programs))


def test_prepared_loaders_are_told_apart() -> None:
    code = """
def evaluate(loader):
    for batch in loader:
        model(batch)
first, second = Accelerator().prepare(DataLoader(Rows()), DataLoader(Rows()))
evaluate(first)
evaluate(second)
"""
    assert all(use.begun is not None for use in _loaders(code))


def test_a_loader_that_a_step_of_another_loop_goes_through() -> None:
    code = """
train_set, replayed = DataLoader(Rows(), 8), DataLoader(Rows(), 9)
for batch in train_set:
    model(batch).sum().backward()
    for old in replayed:
        model(old)
"""
    outer, inner = _loaders(code)
    assert not outer.in_step
    assert inner.in_step


@pytest.mark.parametrize(
    ("code", "changed"),
    [
        ("loader.dataset.epoch = 3", True),
        ("loader.dataset.reload()", True),
        ("loader.dataset.crop.resize(3)", True),
        ("print(len(loader.dataset))", False),
        ("print(loader.dataset.classes)", False),
        ("colors = loader.dataset.decode_target(labels).numpy()", False),
    ],
)
def test_code_that_reaches_into_a_dataset_may_change_it(code: str, changed: bool) -> None:
    assert _loader(f"loader = DataLoader(Rows())\n{code}").changed is changed
