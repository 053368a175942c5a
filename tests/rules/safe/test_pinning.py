"""`pin_memory=True` is SAFE for dense tensors on the host, where nobody has decided against it."""

from __future__ import annotations

import pytest

from tests.rules.safe.offered import fixes, safe
from trainlint.finding import Safety

HEAD = "import torch\nfrom torch.utils.data import DataLoader, Dataset\n"
TRAIN = """

def train(model, optimizer, dataset, device):
    loader = {loader}
    for batch in loader:
        loss = model(batch.to("cuda", {wait})).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""
ROWS = """

class Rows(Dataset):
    def __init__(self, rows, device):
        self.rows, self.gpu = rows, device

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return {item}
"""


def loader_of(loader: str, before: str = "", wait: str = "non_blocking=True") -> str:
    return HEAD + before + TRAIN.format(loader=loader, wait=wait)


WRONG = {
    "items are made on the device": loader_of(
        "DataLoader(Rows([], device), 4)", ROWS.format(item="torch.tensor(self.rows[index], device=self.gpu)")
    ),
    "a helper moves items": loader_of(
        "DataLoader(Rows([], device), 4)",
        ROWS.format(item="moved(self.rows[index])") + "\n\ndef moved(row):\n    return torch.tensor(row).to(0)\n",
    ),
    "the batch is made on the device": loader_of(
        "DataLoader(dataset, 4, collate_fn=collate)", "\n\ndef collate(rows):\n    return torch.stack(rows).cuda()\n"
    ),
    "a lambda moves the batch": loader_of(
        "DataLoader(dataset, 4, collate_fn=lambda rows: torch.stack(rows).to(device))"
    ),
    "a class of the file has the name": loader_of(
        "DataLoader(dataset, 4, num_workers=2)", "\n\nclass DataLoader:\n    pass\n"
    ),
    "a later import has the name": loader_of("DataLoader(dataset, 4, num_workers=2)", "from own import DataLoader\n"),
    "the option is in a dict": loader_of(
        "DataLoader(dataset, 4, **OPTIONS)", "OPTIONS = {'pin_memory': False, 'num_workers': 2}\n"
    ),
}
DOUBTFUL = {
    "nobody knows the items": loader_of("DataLoader(dataset, 4)"),
    "nobody knows the batch": loader_of("DataLoader(dataset, 4, num_workers=4, collate_fn=dataset.collate)"),
    "a copy that goes on, and a write behind it": loader_of("DataLoader(dataset, 4, num_workers=4)").replace(
        "        loss.backward()\n", "        loss.backward()\n        batch.zero_()\n"
    ),
    "a copy that goes on out of sight": loader_of("DataLoader(dataset, 4, num_workers=4)").replace(
        "        loss.backward()\n", "        loss.backward()\n        look(batch)\n"
    ),
    "a copy that goes on of what a function of the project makes": loader_of(
        "DataLoader(Rows([], 0), 4, collate_fn=collate)",
        ROWS.format(item="torch.tensor(self.rows[index])") + "\n\ndef collate(rows):\n    return torch.stack(rows)\n",
    ),
}
SAFE = {
    "workers": loader_of("DataLoader(dataset, 4, num_workers=4)"),
    "items in sight": loader_of("DataLoader(Rows([], 0), 4)", ROWS.format(item="torch.tensor(self.rows[index])")),
    "items on the CPU by name": loader_of(
        "DataLoader(Rows([], 0), 4)", ROWS.format(item='torch.tensor(self.rows[index]).to(torch.float32).to("cpu")')
    ),
    "a star before the import": loader_of("DataLoader(dataset, 4, num_workers=4)").replace(
        "import torch\n", "from own import *\nimport torch\n", 1
    ),
}


@pytest.mark.parametrize("code", WRONG.values(), ids=WRONG)
def test_what_cannot_be_pinned_gets_no_fix(code: str) -> None:
    assert not fixes(code, "TRN102")


def test_a_loader_that_somebody_decided_not_to_pin_gets_no_fix() -> None:
    assert not fixes(loader_of("DataLoader(dataset, 4, num_workers=4, pin_memory=False)"), "TRN102")


@pytest.mark.parametrize("code", DOUBTFUL.values(), ids=DOUBTFUL)
def test_what_may_be_wrong_to_pin_is_for_a_person_to_judge(code: str) -> None:
    (finding,) = fixes(code, "TRN102")["TRN102"]
    assert finding.fix is not None
    assert finding.fix.safety is Safety.UNSAFE


@pytest.mark.parametrize("code", SAFE.values(), ids=SAFE)
def test_dense_tensors_on_the_host_are_pinned_safely(code: str) -> None:
    assert safe(code, "TRN102") == {"TRN102"}


def test_no_rule_on_loaders_speaks_of_another_class_of_that_name() -> None:
    code = loader_of("DataLoader(dataset, 4)", "\n\nclass DataLoader:\n    pass\n")
    assert not {code for code in fixes(code) if code.startswith("TRN1")}


TENSORS = ROWS.format(item="torch.tensor(self.rows[index])")


@pytest.mark.parametrize("workers", ["", ", num_workers=0"])
@pytest.mark.parametrize("wait", ["", "torch.float32", "non_blocking=False"])
def test_pinning_in_the_step_for_a_copy_that_waits_is_no_fix_by_itself(workers: str, wait: str) -> None:
    assert "TRN102" not in fixes(loader_of(f"DataLoader(Rows([], 0), 4{workers})", TENSORS, wait), "TRN102")


def test_pinning_in_the_step_comes_with_a_copy_that_does_not_wait() -> None:
    assert safe(loader_of("DataLoader(Rows([], 0), 4)", TENSORS, ""), "TRN205") == {"TRN205"}


@pytest.mark.parametrize("workers", [", num_workers=2", ", num_workers=dataset.workers"])
def test_workers_pin_beside_the_step(workers: str) -> None:
    assert safe(loader_of(f"DataLoader(dataset, 4{workers})", wait=""), "TRN102") == {"TRN102"}


@pytest.mark.parametrize(("workers", "offered"), [("0", False), ("4", True), ("args.workers", True)])
def test_pinning_alone_gains_nothing_without_workers_where_copies_wait(workers: str, offered: bool) -> None:
    loader = f"DataLoader(dataset, 4, num_workers={workers})"
    for wait, gains in (("non_blocking=False", offered), ("non_blocking=True", True)):
        assert ("TRN102" in fixes(loader_of(loader, wait=wait), "TRN102")) is gains
