"""A toy model, trained before and after a SAFE fix of the data path, ends with the same bits.

Runs on the CPU, and on CUDA as well where there is one: pinned memory and asynchronous copies matter only there.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.catalogue import judged_source, source
from trainlint.finding import Finding, Safety
from trainlint.fixing import FixResult, fix_to_fixpoint
from trainlint.rule import Rule
from trainlint.source import SourceFile
from trainlint_rules.data.loader_without_pinned_memory import LoaderWithoutPinnedMemory
from trainlint_rules.sync.blocking_batch_copy import BlockingBatchCopy
from trainlint_rules.sync.created_on_host_then_moved import CreatedOnHostThenMoved

torch = pytest.importorskip("torch")

DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]

LOADING = '''
import torch
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    """Draws from the global generator for each item, as augmentations do."""

    def __init__(self):
        self.inputs = torch.linspace(-1, 1, 64 * 8, dtype=torch.float64).reshape(64, 8)

    def __len__(self):
        return 64

    def __getitem__(self, index):
        return self.inputs[index] + torch.randn(8), self.inputs[index].sum()


def train(device="cuda"):
    torch.manual_seed(3)
    model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Dropout(0.2), torch.nn.Linear(16, 1)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.005, momentum=0.9)
    loader = DataLoader(Noisy(), batch_size=8, shuffle=True)
    for _ in range(3):
        for inputs, targets in loader:
            inputs = inputs.to(device, torch.float32)
            targets = targets.float().to(device)
            loss = torch.nn.functional.mse_loss(model(inputs).squeeze(1), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return model
'''

DICTIONARIES = """
import torch
from torch.utils.data import DataLoader


def train(device="cuda"):
    torch.manual_seed(5)
    rows = [{"input": torch.randn(6), "label": torch.tensor(i % 3)} for i in range(48)]
    model = torch.nn.Linear(6, 3).to(device)
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(2):
        for batch in DataLoader(rows, 16, True):
            batch = {name: tensor.to(device) for name, tensor in batch.items()}
            loss = torch.nn.functional.cross_entropy(model(batch["input"]), batch["label"])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return model
"""

FACTORIES = """
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.token = nn.Embedding(11, 8)
        self.place = nn.Embedding(6, 8)
        self.read = nn.Linear(8, 11)

    def forward(self, tokens):
        places = torch.arange(tokens.shape[1]).unsqueeze(0).to(tokens.device)
        x = self.token(tokens) + self.place(places)
        future = torch.triu(torch.ones(6, 6, dtype=torch.bool), diagonal=1).to(device=tokens.device)
        scores = (x @ x.transpose(1, 2)).masked_fill(future, -1e4)
        scale = torch.full((8,), 0.3).to(x.device) + torch.eye(8).to(x.device).sum(0)
        bias = torch.tensor([0.1, -0.7, 1e-3, 3.0, 0.0, 2.5, -0.2, 0.9]).to(x.device)
        return self.read(scores.softmax(-1) @ x * scale + bias)


def train(device="cuda"):
    torch.manual_seed(7)
    model = Block().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    tokens = torch.randint(0, 11, (4, 6)).to(device)
    for step in range(12):
        noise = torch.rand(4, 6, 11).to(device)
        smallest = torch.zeros(4, 6).to(tokens)
        loss = nn.functional.cross_entropy((model(tokens) + noise).flatten(0, 1), tokens.maximum(smallest).flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model
"""

FIXES: list[tuple[type[Rule], str, tuple[str, ...]]] = [
    # Without workers, pinning alone is no fix: TRN205 pins together with copies that do not wait.
    (
        LoaderWithoutPinnedMemory,
        LOADING.replace("shuffle=True)", "shuffle=True, num_workers=1)"),
        ("num_workers=1, pin_memory=True)",),
    ),
    (
        LoaderWithoutPinnedMemory,
        DICTIONARIES.replace("16, True)", "16, True, num_workers=1)"),
        ("num_workers=1, pin_memory=True)",),
    ),
    (BlockingBatchCopy, LOADING, ("torch.float32, non_blocking=True)", ".float().to(device, non_blocking=True)")),
    (
        CreatedOnHostThenMoved,
        FACTORIES,
        (
            "torch.arange(tokens.shape[1], device=tokens.device).unsqueeze(0)\n",
            "torch.triu(torch.ones(6, 6, dtype=torch.bool, device=tokens.device), diagonal=1)\n",
            "torch.zeros(4, 6, device=tokens.device, dtype=tokens.dtype)\n",
            "torch.full((8,), 0.3, device=x.device) + torch.eye(8, device=x.device).sum(0)\n",
            "2.5, -0.2, 0.9]).to(x.device)\n",
            "torch.rand(4, 6, 11).to(device)\n",
        ),
    ),
]


def safely_fixed(rule: type[Rule], text: str) -> FixResult:
    def judged(text: SourceFile) -> tuple[Finding, ...]:
        return judged_source(text, [rule()]).findings

    return fix_to_fixpoint(source(text), judged, Safety.SAFE)


def trained(text: str, device: str) -> tuple[dict[str, Any], Any]:
    """The parameters after training and what the host's generator would draw next."""
    names: dict[str, Any] = {}
    exec(compile(text, "train.py", "exec"), names)
    parameters = names["train"](device).state_dict()
    assert all(tensor.isfinite().all() for tensor in parameters.values())
    return parameters, torch.rand(4)


@pytest.mark.filterwarnings("ignore:.*pin_memory.*:UserWarning")
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    ("rule", "text", "written"),
    FIXES,
    ids=[f"{rule.code}-{number}" for number, (rule, _, _) in enumerate(FIXES)],
)
def test_training_is_the_same_to_the_bit(rule: type[Rule], text: str, written: tuple[str, ...], device: str) -> None:
    fixed = safely_fixed(rule, text).source.text
    assert [piece for piece in written if piece not in fixed] == []

    before, next_draw = trained(text, device)
    after, next_draw_after = trained(fixed, device)

    assert before.keys() == after.keys()
    assert [name for name in before if not torch.equal(before[name], after[name])] == []
    assert torch.equal(next_draw, next_draw_after)


@pytest.mark.filterwarnings("ignore:.*pin_memory.*:UserWarning")
def test_all_three_fixes_together_train_the_same() -> None:
    text = LOADING
    for rule in (LoaderWithoutPinnedMemory, BlockingBatchCopy, CreatedOnHostThenMoved):
        text = safely_fixed(rule, text).source.text
    assert "pin_memory=True" in text
    assert text.count("non_blocking=True") == 2

    for device in DEVICES:
        before, after = trained(LOADING, device)[0], trained(text, device)[0]
        assert all(torch.equal(before[name], after[name]) for name in before)


STEP = """
import torch
from torch.utils.data import DataLoader

def train(model, optimizer, rows, loader):
    {before}
    for batch in {loop}:
        inputs = {copy}
        optimizer.zero_grad()
        model(inputs).mean().backward()
        optimizer.step()
        {after}
"""


def step(copy: str, loop: str = "loader", before: str = "pass", after: str = "pass") -> str:
    return STEP.format(before=before, loop=loop, copy=copy, after=after)


DOUBTFUL: list[tuple[type[Rule], str]] = [
    (BlockingBatchCopy, step('batch.to("cuda", torch.half)')),  # changes nothing unless the loader pins
    (BlockingBatchCopy, step('batch.float().to("cuda")', loop="DataLoader(rows, pin_memory=True)")),  # nor here
    (BlockingBatchCopy, step('batch.to("cuda")')),  # may be an object of the project's own
    (BlockingBatchCopy, step("batch.cuda()", before='device = "mps"')),
    (BlockingBatchCopy, step("batch.cuda()", after="batch.zero_()")),
    (BlockingBatchCopy, step("batch[0].cuda()", after="batch[0][:4] = 0")),
    (LoaderWithoutPinnedMemory, step("batch.cuda(non_blocking=True)", loop="DataLoader(rows, 8)")),  # rows of what?
    (CreatedOnHostThenMoved, step("torch.rand(3).cuda()")),
]
CERTAIN: list[tuple[type[Rule], str]] = [
    (BlockingBatchCopy, step('batch.to("cuda", torch.half)', loop="DataLoader(rows, pin_memory=True)")),
    (BlockingBatchCopy, step('batch.to("cuda")', loop="DataLoader(rows, num_workers=2)")),
    (BlockingBatchCopy, step('batch.to("cuda")', loop="DataLoader(rows, pin_memory=True)")),
    (LoaderWithoutPinnedMemory, step("engine(batch.cuda())", loop="DataLoader(rows, num_workers=4)")),
    (CreatedOnHostThenMoved, step("torch.ones(3).cuda()")),
]


def offered(rule: type[Rule], text: str) -> set[Safety | None]:
    findings = judged_source(source(text), [rule()]).findings
    assert findings, text
    return {item.fix.safety if item.fix else None for item in findings}


@pytest.mark.parametrize(("rule", "text"), DOUBTFUL)
def test_a_fix_that_may_change_something_is_not_a_safe_one(rule: type[Rule], text: str) -> None:
    assert Safety.SAFE not in offered(rule, text)


@pytest.mark.parametrize(("rule", "text"), CERTAIN)
def test_a_fix_that_cannot_change_anything_is_a_safe_one(rule: type[Rule], text: str) -> None:
    assert offered(rule, text) == {Safety.SAFE}
