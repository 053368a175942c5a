"""How much speaks for an event: whether it is known how often it happens, and where the value lies."""

from __future__ import annotations

from typing import Final

import pytest

from tests.interpreter.running import run_files

_NET: Final = """
import torch
class Net(torch.nn.Module):
    def forward(self, x):
        {body}
"""
_LOOP: Final = """
import torch
from torch.utils.data import DataLoader
model = torch.nn.Linear(3, 3).cuda()
for batch in DataLoader([]):
    output = model(batch.cuda(non_blocking=True)).sum()
    output.backward()
    {body}
"""
_HOOK: Final = """
import lightning
class Task(lightning.LightningModule):
    def training_step(self, batch, batch_idx):
        {body}
"""
_ASKED: Final = "y = self.part\n        assert isinstance(y, torch.Tensor)\n        "
"""A tensor that lies anywhere."""


@pytest.mark.parametrize(
    ("code", "body", "certainty"),
    [
        (_LOOP, "print(output.item())", "certain"),
        (_LOOP, "print(unknown.item())", "likely"),
        (_LOOP, "if self.recon_loss > 3: pass", "likely"),
        (_HOOK, "print(batch.sum().item())", "certain"),
        (_HOOK, "print(unknown.item())", "likely"),
        (_NET, "print(x.sum().item())", "likely"),
        (_NET, "print(unknown.item())", "guess"),
        (_NET, "if self.recon_loss > 3: pass", "guess"),
        (_NET, f"{_ASKED}print((x.sum() if self.whole else y).item())", "likely"),
        (_NET, "print((x.sum() if self.whole else torch.ones(3)).item())", "likely"),
        (_NET, f"{_ASKED}torch.tensor([1.0, 2.0]).to(y.device)", "likely"),
        (_NET, f"{_ASKED}print((torch.ones(3) if self.whole else y).item())", "guess"),
    ],
)
def test_the_kind_of_entry_and_the_place_of_the_value_decide(code: str, body: str, certainty: str) -> None:
    _, events = run_files([("train.py", code.format(body=body))])
    assert [event.certainty for event in events] == [certainty]


@pytest.mark.parametrize(
    ("other", "certainty"),
    [
        ("import os", "guess"),
        ("from net import Net", "likely"),
        ("import importlib\nimportlib.import_module('net')", "likely"),
        ("from registry import import_all_modules\nimport_all_modules(ROOT, 'nets')", "likely"),
    ],
)
def test_what_is_presumed_to_run_in_a_file_that_nobody_imports_is_a_guess(other: str, certainty: str) -> None:
    net = _NET.format(body="print(x.sum().item())")
    files = {"net.py": net, "base.py": "", "other.py": f"import base\n{other}"}
    _, events = run_files(files.items())
    assert [event.certainty for event in events] == [certainty]
