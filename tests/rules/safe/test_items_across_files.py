"""Pinning is SAFE where another file's dataset and collate function make dense tensors on the host."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trainlint.cli import main

TRAIN = """import torch
from torch.utils.data import DataLoader

from data import Rows, collate
{more}

def train(model, optimizer, device: torch.device):
    dataset = {dataset}
    loader = DataLoader(dataset, 4{options})
    for rows, labels in loader:
        rows = rows.to(device)
        labels = labels.to(device)
        loss = torch.nn.functional.cross_entropy(model(rows), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


train(*torch.load("state.pt"))
"""
DATA = """import torch
from torch.utils.data import Dataset

{more}
def read(row):
    return {read}


class Rows(Dataset{base}):
    def __init__(self, rows):
        self.rows = {rows}

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return {item}, 1


def collate(rows):
    return torch.stack([row for row, _ in rows]){collated}, torch.tensor([label for _, label in rows])
"""
MADE = "from data import made\n"
BUILT = "def made():\n    return Rows([1.0])\n\n"


def files(
    dataset: str = "Rows([1.0])",
    options: str = "",
    more: str = "",
    item: str = "read(self.rows[index])",
    read: str = "torch.tensor([row])",
    rows: str = "rows",
    base: str = "",
    collated: str = "",
    more_data: str = "",
) -> dict[str, str]:
    return {
        "train.py": TRAIN.format(dataset=dataset, options=options, more=more),
        "data.py": DATA.format(item=item, read=read, rows=rows, base=base, collated=collated, more=more_data),
    }


PROVED = {
    "a class": files(),
    "a subscripted base": files(base="[tuple[torch.Tensor, int]]"),
    "a function that makes it": files("made()", more=MADE, more_data=BUILT),
    "one of two": files("Rows([1.0]) if torch.cuda.is_available() else Rows([2.0])"),
    "on the CPU by name": files(read='torch.tensor([row], device="cpu")'),
    "sparse items that PyTorch cannot stack": files(read="torch.tensor([row]).to_sparse()"),
}
DEVICE = {
    "items on the device": files(item="torch.tensor(self.rows[index]).cuda()"),
    "a helper that moves": files(read='torch.tensor([row]).to("cuda:0")'),
    "batches on the device": files(options=", collate_fn=collate", collated=".cuda()"),
}
NOT_PROVED = {
    "a base from elsewhere": files(base=", Mixin").copy() | {"mixin.py": "class Mixin:\n    pass\n"},
    "sparse batches": files(options=", collate_fn=collate", collated=".to_sparse()"),
    "a dataset from elsewhere": files("other()", more="from library import other\n"),
    "a collate function from elsewhere": files(options=", collate_fn=other", more="from library import other\n"),
}


def levels(project: Path, texts: dict[str, str], capsys: pytest.CaptureFixture[str]) -> dict[str, str | None]:
    """Rule → the level of the fix of its first finding; None where there is no fix."""
    for name, text in texts.items():
        (project / name).write_text(text)
    words = ["--select", "TRN102,TRN205", "--isolated", "--no-cache", "--output-format", "json", "--exit-zero"]
    assert main(["check", str(project), "--min-confidence", "unlikely", *words]) == 0
    found: dict[str, str | None] = {}
    for finding in json.loads(capsys.readouterr().out)["findings"]:
        found.setdefault(finding["code"], finding["fix"] and finding["fix"]["safety"])
    return found


@pytest.mark.parametrize("texts", PROVED.values(), ids=PROVED)
def test_dense_items_on_the_host_are_pinned_and_copied_safely(
    texts: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with_workers = texts | {"train.py": texts["train.py"].replace("dataset, 4", "dataset, 4, num_workers=2")}
    assert levels(tmp_path, with_workers, capsys)["TRN102"] == "safe"


@pytest.mark.parametrize("texts", DEVICE.values(), ids=DEVICE)
def test_what_lies_on_the_device_is_not_pinned(
    texts: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "TRN102" not in levels(tmp_path, texts, capsys)


@pytest.mark.parametrize("texts", NOT_PROVED.values(), ids=NOT_PROVED)
def test_what_nobody_knows_is_for_a_person_to_judge(
    texts: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "safe" not in levels(tmp_path, texts, capsys).values()
