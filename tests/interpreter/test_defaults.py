"""Options of command lines: a program is taken to run as it does by default."""

from __future__ import annotations

from typing import Final

import pytest

from tests.interpreter.running import places, run_files

_NETS: Final = """
import torch
class Net(torch.nn.Module):
    def forward(self, x):
        return x * torch.arange(4).cuda()
"""
_START: Final = """
import argparse
import nets
from nets import Net
from torch.utils.data import DataLoader
parser = argparse.ArgumentParser()
parser.add_argument("--launch", action="store_true")
parser.add_argument("--model", default="Net(4)")
parser.add_argument("--name", default="Net")
args = parser.parse_args()
"""


def _told(code: str, path: str) -> list[str]:
    """What is told of a file, without lines."""
    _, events = run_files([("nets.py", _NETS), ("train.py", _START + code)])
    return [place.split(" ", 1)[1] for place in places(events) if place.startswith(path)]


@pytest.mark.parametrize(
    "code",
    [
        """
loader = DataLoader([], pin_memory=True)
if args.launch:
    loader = accelerator.prepare(loader)
for batch in loader:
    model(batch.cuda()).sum().backward()
""",
        """
class Trainer:
    def __init__(self):
        if args.launch:
            self.loader = accelerator.prepare(DataLoader([]))
        else:
            self.loader = DataLoader([])
        if args.launch:
            self.loader = accelerator.prepare(self.loader)
    def fit(self):
        for batch in self.loader:
            model(batch.cuda()).sum().backward()
Trainer().fit()
""",
    ],
    ids=["a name", "an attribute"],
)
def test_what_an_option_that_is_off_assigns_gives_way(code: str) -> None:
    assert _told(code, "train.py") == ["BATCH_COPY sure"]


@pytest.mark.parametrize(
    "code",
    [
        """
def writer():
    if args.name is not None and args.directory is not None:
        found = Writer()
    else:
        found = None
    return found
fit(writer())
""",
        """
class Trainer:
    def __init__(self):
        self.writer = None
        if args.launch:
            self.writer = Writer()
fit(Trainer().writer)
""",
        """
class Trainer:
    def __init__(self):
        if args.launch:
            self.writer = Writer()
        else:
            self.writer = None
fit(Trainer().writer)
""",
    ],
    ids=["a name", "an attribute", "an attribute in two branches"],
)
def test_what_an_option_that_is_off_assigns_does_not_give_way_to_none(code: str) -> None:
    fit = """
class Writer:
    def update(self, value):
        value.item()
def fit(writer):
    for batch in loader:
        loss = model(batch.cuda(non_blocking=True)).sum()
        loss.backward()
        if writer is not None:
            writer.update(loss)
parser.add_argument("--directory", default=None)
"""
    assert _told(fit + code, "train.py") == ["ITEM sure"]


@pytest.mark.parametrize(
    "made", ["eval(args.model)", "eval('Net')(4)", "eval(args.name)()", "getattr(nets, args.name)(4)"]
)
def test_what_a_string_names_is_made(made: str) -> None:
    code = f"""
model = {made}
for batch in DataLoader([]):
    model(batch.cuda(non_blocking=True)).sum().backward()
"""
    assert _told(code, "nets.py") == ["MADE_ON_HOST sure"]


def test_what_is_no_code_is_not_known() -> None:
    code = """
model = eval("4 +")
for batch in DataLoader([]):
    model(batch.cuda(non_blocking=True)).sum().backward()
"""
    assert _told(code, "nets.py") == ["MADE_ON_HOST presumed"]


def test_methods_find_what_a_constructor_assigns_that_nobody_calls() -> None:
    code = """
class Trainer:
    def fit(self):
        for batch in self.source:
            self.model(batch.cuda()).sum().backward()
    def __init__(self):
        self.source = DataLoader([])
"""
    assert _told(code, "train.py") == ["BATCH_COPY orphan"]
