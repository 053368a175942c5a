"""Which sources and structures do operations keep? Marks say kind, place and source."""

from __future__ import annotations

import pytest

from tests.analysis.facts import file_model, marked, value_of
from tests.analysis.types.value_marks import words

KEPT = {
    "methods keep sources": """
        import torch
        device = "cuda"
        for views, y in train_loader:
            y = y.long()  #= tensor host batch
            z = y
            a = z * 2 + 1  #= tensor host batch
            b = z.unsqueeze(1).repeat(1, 3)  #= tensor host batch
            c = z[0]  #= tensor host batch
            d = torch.cat(views)  #= tensor host other
            t = z.view(-1)  #= tensor host batch
    """,
    "from_numpy of array is on host": """
        import torch, numpy as np
        device = "cuda"
        a = np.load("f.npy")
        t = torch.from_numpy(a).float()  #= tensor host factory
    """,
    "a key that is a tuple, beside what it stands for": """
        import torch
        device = "cuda"
        pairs = {(name, 0): (p, p) for name, p in model.named_parameters()}
        for (name, number), (weight, other) in pairs.items():
            a = number  #= unknown
            b = other  #= tensor device parameter
    """,
    "parts of a version": """
        import torch
        device = "cuda"
        numbers = torch.__version__.split("+")[0].split(".")
        for part in numbers:
            a = part  #= string
    """,
    "dict batch": """
        import torch
        device = "cuda"
        for batch in train_loader:
            x = batch["x"]  #= tensor host batch
            mask = batch.get("mask")  #= tensor host batch
            ids, m = batch["ids"], batch["m"]
            k = ids  #= tensor host batch
    """,
    "structure dict comp": """
        import torch
        for batch in train_loader:
            moved = {k: v.cuda() for k, v in batch.items()}
            x = moved["x"]  #= tensor device batch
    """,
    "structure list comp": """
        for batch in train_loader:
            moved = [t.cuda() for t in batch]
            x = moved[0]  #= tensor device batch
            a, b = [t.cuda() for t in batch]
            c = b  #= tensor device batch
            d, e = (t.cuda() for t in batch)
            f = e  #= tensor device batch
    """,
    "structure map": """
        for batch in train_loader:
            x, y = map(lambda t: t.cuda(), batch)
            kept = y  #= tensor device batch
            moved = list(map(lambda t: t.cuda(), batch))
            z = moved[0]  #= tensor device batch
    """,
    "structure map of function": """
        import torch
        def put(t):
            return t.cuda()
        for batch in train_loader:
            moved = list(map(put, batch))
            z = moved[0]  #= tensor device batch
    """,
    "tree_map": """
        import torch
        from torch.utils._pytree import tree_map
        for batch in train_loader:
            batch = tree_map(lambda t: t.cuda(), batch)
            z = batch["x"]  #= tensor device batch
    """,
    "tree_map optree": """
        import optree
        device = "cuda"
        for batch in train_loader:
            batch = optree.tree_map(lambda t: t.to(device), batch)
            z = batch["x"]  #= tensor device batch
    """,
    "project function: dict comp": """
        import torch
        def put(sample, device):
            return {k: v.to(device) for k, v in sample.items()}
        for batch in train_loader:
            batch = put(batch, "cuda")
            z = batch["x"]  #= tensor device batch
    """,
    "project function: loop over keys": """
        import torch
        def put(sample, device):
            for key in sample:
                sample[key] = sample[key].to(device)
            return sample
        for batch in train_loader:
            batch = put(batch, "cuda")
            z = batch["x"]  #= tensor device batch
    """,
    "in place loop over keys": """
        import torch
        device = "cuda"
        for batch in train_loader:
            for key in batch:
                batch[key] = batch[key].to(device)
            z = batch["x"]  #= tensor device batch
    """,
    "in place loop over keys()": """
        import torch
        device = "cuda"
        for batch in train_loader:
            for key in batch.keys():
                batch[key] = batch[key].to(device)
            z = batch["x"]  #= tensor device batch
    """,
    "in place loop over items()": """
        import torch
        device = "cuda"
        for batch in train_loader:
            for key, value in batch.items():
                batch[key] = value.to(device)
            z = batch["x"]  #= tensor device batch
    """,
    "a function that moves in place": """
        import torch
        device = "cuda"
        for batch in train_loader:
            before = batch["x"]  #= tensor host batch
            batch_to_device(batch, device)
            z = batch["x"]  #= tensor device batch
    """,
    "in place one key": """
        import torch
        device = "cuda"
        for batch in train_loader:
            batch["x"] = batch["x"].to(device)
            z = batch["x"]  #= tensor device batch
            w = batch["y"]  #= tensor host batch
    """,
    "project function recursive tuple(generator)": """
        import torch
        def ship(value, device):
            if torch.is_tensor(value):
                return value.to(device, non_blocking=True)
            elif isinstance(value, dict):
                return {name: ship(part, device) for name, part in value.items()}
            else:
                return type(value)(ship(part, device) for part in value)
        for batch in train_loader:
            batch = ship(batch, "cuda")
            z = batch["x"]  #= tensor device batch
    """,
    "host array is no batch": """
        import numpy as np, torch
        device = "cuda"
        weights = torch.from_numpy(np.load("w.npy"))  #= tensor host factory
        table = torch.tensor([1, 2])  #= tensor host factory
    """,
    "entries of an attribute that other methods store": """
        import torch
        device = "cuda"
        class Head(torch.nn.Module):
            def __init__(self):
                self.kept = {}
            def forward(self, x):
                self.kept["score"] = x.mean().to(device)
                self.kept["sizes"] = [3, 4]
                self.kept["rows"] = torch.zeros(3)
            def loss(self):
                a = self.kept["score"]  #= tensor device other
                b = self.kept["sizes"]  #= container of number
                c = self.kept["rows"]  #= tensor host factory
    """,
    "iterating d gives keys": """
        import torch
        for batch in train_loader:
            for k in batch:
                key = k  #= string
                batch[k] = batch[k].cuda()
    """,
    "iterating container dict gives keys": """
        import torch
        losses = {"a": torch.zeros(1, device="cuda")}
        for name in losses:
            key = name  #= string
            v = losses[name]  #= tensor device factory
    """,
}


@pytest.mark.parametrize("code", KEPT.values(), ids=KEPT.keys())
def test_sources_and_structure_are_kept(code: str) -> None:
    model = file_model(code)
    found = [(item.lineno, words(model.kinds.of(value_of(item), block))) for item, block, _ in marked(model)]
    assert found == [(statement.lineno, said) for statement, _, said in marked(model)]
