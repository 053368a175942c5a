"""The page about waits: each line is judged, and PyTorch's own notes on synchronisation are in the tables."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch

from tests.rules.catalogue import all_rules, judged
from trainlint.analysis.tables.host_reads import SIZED_BY_DATA
from trainlint.analysis.tables.waits.checked_results import CHECKED

PAGE = Path(__file__).parents[2] / "docs" / "waits.md"
ROW = re.compile(r"^\| `(.+)` \| (yes|no)[^|]* \| ?(none|TRN\d{3})? ?\|$", re.MULTILINE)
ROWS = ROW.findall(PAGE.read_text(encoding="utf-8"))
STEP = """
import math
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader


class Model(torch.nn.Module):
    def forward(self, x, y, index):
        mask = x > 0
        t = index.max()
        rows = [1, 2, 3]
{forward}
        return self.layer(x).mean()


def train(dataset, optimizer):
    model = Model().cuda()
    loader = DataLoader(dataset, 32, num_workers=4, pin_memory=True, persistent_workers=True)
    scaler = torch.amp.GradScaler()
    held = torch.empty(32, 9, device="cuda")
    for x, y, index, host in loader:
        x = x.cuda(non_blocking=True)
        y = y.cuda(non_blocking=True)
        index = index.cuda(non_blocking=True)
{loop}
        scaler.scale(model(x, y, index)).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
"""


def codes(operation: str) -> set[str]:
    """The rules about waits that find an operation in a training step."""
    in_loop = re.search(r"\b(host|held|scaler|distributed)\b", operation) is not None
    line = " " * 8 + operation
    text = STEP.format(forward="" if in_loop else line, loop=line if in_loop else "")
    found = judged(text, *all_rules()).findings
    where = next(number for number, each in enumerate(text.splitlines(), 1) if each == line)
    return {item.code for item in found if item.span.start_line == where}


def test_the_page_has_rows() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert len(ROWS) == text.count("\n| `") > 60


@pytest.mark.parametrize(("operation", "waits", "rule"), ROWS)
def test_each_row_says_which_rule_finds_it(operation: str, waits: str, rule: str) -> None:
    about_waits = {code for code in codes(operation) if code[:4] == "TRN2" or code == rule}
    assert about_waits == ({rule} if rule.startswith("TRN") else set())
    assert bool(rule) == (waits == "yes")


def notes() -> list[str]:
    """The functions of which PyTorch's documentation says that they make the host wait for CUDA."""
    found = []
    for module in (torch, torch.linalg):
        for name in dir(module):
            said = getattr(getattr(module, name), "__doc__", None)
            text = " ".join(said.split()) if isinstance(said, str) else ""
            if re.search(r"synchronizes that device with the CPU|causes host-device synchronization", text):
                found.append(f"{module.__name__}.{name}")
    return found


@pytest.mark.parametrize("origin", notes())
def test_what_pytorch_documents_as_waiting_is_in_the_tables(origin: str) -> None:
    assert origin in CHECKED or origin.rpartition(".")[2] in SIZED_BY_DATA
