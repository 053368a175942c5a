"""What the values of one file are, by the code that makes them."""

from __future__ import annotations

import pytest

from tests.analysis.facts import file_model, marked, value_of
from trainlint.analysis.types.values import Kind, Value

SNIPPETS = {
    "tensors": """
        import torch
        import torch.nn.functional as F

        def train(model, batch):
            made = torch.zeros(3)
            made  #= tensor
            moved = made.cuda()
            moved  #= tensor
            moved * 2  #= tensor
            moved.size(0)  #= number
            moved.shape  #= shape
            moved.shape[0]  #= number
            moved.item()  #= number
            moved.tolist()  #= container
            moved.dtype  #= dtype
            moved.device  #= device
            moved is made  #= number
            moved > 0  #= tensor
            F.cross_entropy(moved, made)  #= tensor loss
            unmade  #= unknown
    """,
    "modules": """
        import torch
        from torch import nn

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(2, 2)
                self.criterion = nn.CrossEntropyLoss()

            def forward(self, x: torch.Tensor):
                self  #= module
                self.layer  #= module
                self.layer(x)  #= tensor output
                self.criterion(x, x)  #= tensor loss
                return self.layer(x)

        net = Net()
        net  #= module
        net.train()  #= module
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        optimizer  #= optimizer
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 3)
        scheduler  #= scheduler
    """,
    "loops": """
        from torch.utils.data import DataLoader

        loader = DataLoader(data)
        loader  #= loader
        for i, batch in enumerate(loader):
            i  #= number
            batch  #= tensor batch
            batch[0]  #= tensor batch
    """,
    "functions": """
        import torch

        def make(count: int, words=None):
            count  #= number
            return torch.ones(count)

        made = make(3)
        made  #= tensor
        either = make(3) if made is None else None
        either  #= tensor
        [made]  #= container
        len([made])  #= number
    """,
}


def words(value: Value) -> str:
    origin = value.origin.name.lower()
    return value.kind.name.lower() + ("" if value.kind is not Kind.TENSOR or origin == "other" else f" {origin}")


@pytest.mark.parametrize("code", SNIPPETS.values(), ids=SNIPPETS.keys())
def test_kinds(code: str) -> None:
    model = file_model(code)
    found = [(item.lineno, words(model.kinds.of(value_of(item), block))) for item, block, _ in marked(model)]
    assert found == [(statement.lineno, said) for statement, _, said in marked(model)]


def test_a_name_is_weak_evidence() -> None:
    model = file_model("""
        def step(model, images: Tensor):
            model  #= module
            images  #= tensor
    """)
    values = [model.kinds.of(value_of(item), block) for item, block, _ in marked(model)]
    assert [(words(value), value.proved) for value in values] == [("module", False), ("tensor", True)]


def test_what_is_assigned_in_a_circle_is_known_as_far_as_it_goes() -> None:
    model = file_model("""
        import torch
        x = torch.zeros(3)
        for _ in range(3):
            y = x
            x = y + 1
            x  #= tensor
    """)
    ((item, block, said),) = marked(model)
    assert words(model.kinds.of(value_of(item), block)) == said
