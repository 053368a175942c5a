"""What the rules about loaders say of an abstract run, by what it has seen of each loader."""

from __future__ import annotations

import ast

import pytest

from tests.rules.catalogue import STATED, source
from trainlint.engine.judge import judge
from trainlint.interpreter.operations import execute_project
from trainlint_rules.data.loader_restarts_workers import LoaderRestartsWorkers
from trainlint_rules.data.loader_without_pinned_memory import LoaderWithoutPinnedMemory
from trainlint_rules.data.loader_without_workers import LoaderWithoutWorkers

RULES = (LoaderWithoutWorkers, LoaderWithoutPinnedMemory, LoaderRestartsWorkers)
START = """\
import argparse
import torch
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder

model = torch.nn.Linear(4, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
parser = argparse.ArgumentParser()
parser.add_argument("--workers", type=int, default=0)
args = parser.parse_args()


def batches_of(loader):
    for batch, _ in loader:
        yield batch.cuda(non_blocking=True)


def train(loader):
    for batch in batches_of(loader):
        model(batch).sum().backward()
        optimizer.step()


@torch.no_grad()
def evaluate(loader):
    for batch in batches_of(loader):
        model(batch)


"""
PINNED = "pin_memory=True"


def found(code: str) -> set[str]:
    """The codes of what is shown by default."""
    text = START + code
    operations = execute_project([("train.py", ast.parse(text))]).operations["train.py"]
    return {
        item.code for item in judge(source(text), [rule() for rule in RULES], STATED, operations=operations).findings
    }


@pytest.mark.parametrize(
    ("options", "codes"),
    [
        ("", {"TRN101", "TRN102"}),
        ("pin_memory=False", {"TRN101", "TRN102"}),
        (PINNED, {"TRN101"}),
        ("num_workers=8", {"TRN102", "TRN103"}),
        (f"num_workers=8, {PINNED}", {"TRN103"}),
        (f"num_workers=8, {PINNED}, persistent_workers=True", set()),
        (f"num_workers=8, {PINNED}, **further", set()),
    ],
)
def test_a_loader_that_trains_in_each_epoch(options: str, codes: set[str]) -> None:
    code = f"loader = DataLoader(ImageFolder('images'), 64, {options})\nfor epoch in range(90):\n    train(loader)\n"
    assert found(code) == codes


def test_an_option_that_a_function_gives_is_known_by_its_calls() -> None:
    code = """
def make(pin):
    return DataLoader(ImageFolder("images"), 64, num_workers=8, pin_memory=pin, persistent_workers=True)


loader = make(False)
for epoch in range(90):
    train(loader)
"""
    assert found(code) == {"TRN102"}


def test_an_option_for_workers_is_no_lack_of_them_whatever_its_default() -> None:
    code = f"train(DataLoader(ImageFolder('images'), 64, num_workers=args.workers, {PINNED}))\n"
    assert found(code) == set()


@pytest.mark.parametrize(
    ("options", "codes"), [("num_workers=8, persistent_workers=True", {"TRN102"}), ("num_workers=0", set())]
)
def test_pinning_for_a_repeated_evaluation_is_worth_it_where_workers_prepare_batches(
    options: str, codes: set[str]
) -> None:
    code = f"""
loader = DataLoader(ImageFolder("images"), 64, num_workers=8, {PINNED}, persistent_workers=True)
held_out = DataLoader(ImageFolder("held_out"), 64, {options})
for epoch in range(90):
    train(loader)
    evaluate(held_out)
"""
    assert found(code) == codes


def test_what_one_pass_evaluates_restarts_no_workers() -> None:
    code = f"evaluate(DataLoader(ImageFolder('held_out'), 64, num_workers=8, {PINNED}))\n"
    assert found(code) == set()


def test_workers_restart_for_the_loop_that_the_run_has_seen() -> None:
    code = f"""
class Trainer:
    def __init__(self):
        self.loader = DataLoader(ImageFolder("images"), 64, num_workers=8, {PINNED})

    def fit(self):
        for epoch in range(90):
            train(self.loader)


Trainer().fit()
"""
    assert found(code) == {"TRN103"}


@pytest.mark.parametrize(("options", "codes"), [("shuffle=True", {"TRN101", "TRN102"}), ("", {"TRN101"})])
def test_of_a_loader_that_goes_out_of_sight_it_counts_whether_it_shuffles(options: str, codes: set[str]) -> None:
    code = f"""
loader = DataLoader(ImageFolder("images"), 64, {options})
for epoch in range(90):
    engine.work(loader)
"""
    assert found(code) == codes
