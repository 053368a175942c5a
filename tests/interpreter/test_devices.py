"""Programs that choose their device: they are taken to train on the GPU."""

from __future__ import annotations

from typing import Final

import pytest

from tests.interpreter.running import places, run_files

_PROGRAM: Final = """
import argparse
import torch
from torch.utils.data import DataLoader
parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", action="store_true")
parser.add_argument("--accel", action="store_true")
parser.add_argument("--device", default=None)
args = parser.parse_args()
{choice}
model = torch.nn.Linear(3, 3).to(device)
for batch in DataLoader([]):
    model(batch.to(device)).sum().backward()
"""


def _told(choice: str) -> list[str]:
    events = run_files([("train.py", _PROGRAM.format(choice=choice))])[1]
    return [place.split(" ", 1)[1] for place in places(events)]


_IF: Final = """
if {test}:
    device = {gpu}
else:
    device = {cpu}
"""
_CURRENT: Final = "torch.accelerator.current_accelerator()"


@pytest.mark.parametrize("gpu", ["torch.device('cuda')", "'cuda'", "torch.device('mps')", _CURRENT])
@pytest.mark.parametrize("cpu", ["torch.device('cpu')", "'cpu'"])
@pytest.mark.parametrize("test", ["args.accel", "not args.no_cuda", "torch.accelerator.is_available()", "asked()"])
def test_of_two_devices_the_gpu_is_used(test: str, gpu: str, cpu: str) -> None:
    assert _told(_IF.format(test=test, gpu=gpu, cpu=cpu)) == ["BATCH_COPY sure"]


@pytest.mark.parametrize(
    "choice",
    [
        "device = torch.device('cuda') if asked() else torch.device('cpu')",
        "wanted = not args.no_cuda and torch.cuda.is_available()\ndevice = torch.device('cuda' if wanted else 'cpu')",
        "device = torch.device('cpu')\nif args.accel:\n    device = torch.device('cuda')",
        "device = find_device() if asked() else torch.device('cpu')",
        "device = args.device or 'cpu'",
    ],
)
def test_however_it_is_chosen(choice: str) -> None:
    assert _told(choice) == ["BATCH_COPY sure"]


@pytest.mark.parametrize("choice", ["device = torch.device('cpu')", "device = 'cpu'", "device = None"])
def test_where_only_the_cpu_is_named_nothing_is_copied(choice: str) -> None:
    assert _told(choice) == []


def test_an_attribute_that_an_option_sets_is_the_gpu() -> None:
    code = """
class Trainer:
    def __init__(self):
        self.device = torch.device("cpu")
        if args.accel:
            self.device = torch.device("cuda")
device = Trainer().device
"""
    assert _told(code) == ["BATCH_COPY sure"]
