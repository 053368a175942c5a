"""Values of the host that look like tensors of the device, and what tells where tensors are."""

from __future__ import annotations

import pytest

from tests.interpreter.running import places, run_files


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("if not torch.jit.is_scripting():\n            pass", id="whether a compiler traces"),
        pytest.param("if torch.compiler.is_compiling():\n            pass", id="whether a compiler runs"),
        pytest.param("if torch.autograd._is_checkpoint_valid():\n            pass", id="whether it recomputes"),
        pytest.param("if self.args.local_loss:\n            pass", id="an option whose name is that of a loss"),
        pytest.param("if self.local_loss:\n            pass", id="a flag whose name is that of a loss"),
        pytest.param("if self.args.given.use_kl_loss:\n            pass", id="a flag whose name has a verb"),
        pytest.param("if parse((unknown,)).start > 0:\n            pass", id="made by one of a list"),
        pytest.param("for height, width in sizes:\n            torch.zeros(height // 2, width // 2)", id="annotated"),
        pytest.param("if self.scaled(x.thing) > 2:\n            pass", id="what a parameter is annotated as"),
        pytest.param("if parse([(unknown,)]).start > 0:\n            pass", id="made by one of a list in a list"),
        pytest.param("if torch.get_autocast_gpu_dtype() == torch.half:\n            pass", id="dtype of autocast"),
        pytest.param("if torch.futures.wait_all(x)[0] > 0:\n            pass", id="what futures hold"),
        pytest.param("for key in x:\n            if key.endswith('mask'):\n                pass", id="a key"),
        pytest.param("if backbone(x).num_groups > 0:\n            pass", id="a number of what a model gives"),
        pytest.param("for group in self.optimizer.param_groups:\n            note(group['lr'])", id="a learning rate"),
        pytest.param("if parse((Net, Other)).start > 0:\n            pass", id="made by one of several classes"),
        pytest.param(
            "if any(torch.__version__.startswith(v) for v in ['1.']):\n            pass", id="torch's version"
        ),
        pytest.param("if self.zero_out_loss:\n            pass", id="an attribute of whatever, named as a loss"),
        pytest.param("max(2.0, 0.5**steps)", id="a parameter that counts steps"),
    ],
)
def test_host_values_are_no_waits(body: str) -> None:
    code = f"""
import torch
class Other:
    pass
def note(rate):
    if isinstance(rate, torch.Tensor):
        rate.item()
def parse(classes):
    for kind in [classes]:
        made = kind()
    return made
class Net(torch.nn.Module):
    def __init__(self, args, local_loss=False):
        super().__init__()
        self.args = args
        self.local_loss = local_loss
        self.zero_out_loss = args.whatever
    def scaled(self, n: int | None):
        return n * 2
    def forward(self, x, sizes: List[Tuple[int, int]], steps):
        {body}
        return x
def make(args):
    return Net(args, args.whatever)
"""
    _, events = run_files([("net.py", code)])
    assert events == []


@pytest.mark.parametrize("pinned", ["", "pin_memory=True"])
def test_a_batch_is_read_on_the_host_before_it_is_copied(pinned: str) -> None:
    code = f"""
import torch
from torch.utils.data import DataLoader
model = torch.nn.Linear(3, 3).cuda()
class Trainer:
    def __init__(self):
        self.loader = DataLoader([], {pinned})
    def fit(self):
        for batch in self.loader:
            self.train_step(batch)
    def train_step(self, batch):
        kept = (~batch["mask"]).sum().item()
        chosen = batch["x"][batch["mask"].bool()]
        model(chosen.cuda(non_blocking=True)).sum().backward()
"""
    _, events = run_files([("train.py", code)])
    assert events == []


def test_tables_are_no_tensors() -> None:
    code = """
import pandas as pd
import torch
frame = pd.read_csv("scores.csv")
model = torch.nn.Linear(3, 3).cuda()
for batch in torch.utils.data.DataLoader([]):
    model(batch.cuda(non_blocking=True)).sum().backward()
    print(frame.loc[frame.index[0]]["loss"].item(), frame["loss"].mean().item())
    if frame["loss"].mean() > 3:
        break
"""
    assert run_files([("train.py", code)])[1] == []


@pytest.mark.parametrize(
    ("read", "told"),
    [
        ("all(rate == clip.rates[0] for rate in clip.rates)", []),
        ("bool(clip.wave.max() > 3)", ["net.py:10 NUMBER presumed"]),
    ],
)
@pytest.mark.parametrize("given", ["", "    def more(self, batch):\n        self.forward(batch)"])
def test_the_fields_of_a_class_that_a_parameter_is_annotated_as(read: str, told: list[str], given: str) -> None:
    code = f"""
import torch
from typing import NamedTuple
class Clip(NamedTuple):
    wave: torch.Tensor
    rates: list[int]
class Net(torch.nn.Module):
    def forward(self, clip: Clip):
        x = torch.ones(3, device="cuda")
        {read}
        return x
{given}
"""
    _, events = run_files([("net.py", code)])
    assert places(events) == told


@pytest.mark.parametrize(
    ("default", "told"),
    [
        ("torch.set_default_device('cpu')", ["train.py:8 INDEX_COPY sure"]),
        ("torch.set_default_device('cuda')", []),
        ("torch.set_default_tensor_type('torch.cuda.FloatTensor')", []),
        ("torch.set_default_tensor_type('torch.FloatTensor')", ["train.py:8 INDEX_COPY sure"]),
    ],
)
def test_tensors_are_made_at_the_default_place(default: str, told: list[str]) -> None:
    code = f"""
import torch
{default}
model = torch.nn.Linear(3, 3).cuda()
for step in range(100):
    output = model(torch.ones(3, device="cuda"))
    order = torch.randperm(3)
    output[order].sum().backward()
    optimizer.step()
"""
    assert places(run_files([("train.py", code)])[1]) == told


@pytest.mark.parametrize(
    ("moved", "told"),
    [("", ["train.py:7 COLLECT sure"]), (".to(device)", ["train.py:6 ITEM sure", "train.py:7 COLLECT sure"])],
)
def test_a_program_that_names_no_device_waits_for_none(moved: str, told: list[str]) -> None:
    net = "import torch\ndef make():\n    return torch.nn.Linear(3, 3)"
    code = f"""
import gc; from net import make
model = make(){moved}
for step in range(100):
    loss = model(data).sum()
    print(loss.item())
    gc.collect()
    loss.backward()
    optimizer.step()
"""
    assert places(run_files([("net.py", net), ("train.py", code)])[1]) == told
