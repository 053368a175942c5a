"""What do objects of a project hold and inherit? Marks say kind, place and source."""

from __future__ import annotations

import pytest

from tests.analysis.facts import file_model, marked, value_of
from tests.analysis.types.value_marks import words

OBJECTS = {
    "identity by mutation": """
        import torch, torch.distributed as dist
        def mean_over_ranks(t):
            r = t.clone()
            dist.all_reduce(r)
            r /= dist.get_world_size()
            return r
        for x in train_loader:
            loss = model(x.cuda())
            seen = mean_over_ranks(loss)  #= tensor device output
    """,
    "autograd function": """
        import torch
        class Scale(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x.view_as(x)
        for x in train_loader:
            x = x.cuda()
            y = Scale.apply(x)  #= tensor device batch
    """,
    "container attribute": """
        import torch
        class Clocks:
            def __init__(self):
                self.events = {}
            def start(self, key):
                self.events[key] = torch.cuda.Event(enable_timing=True)
            def stop(self, key):
                e = self.events[key]  #= stream
    """,
    "list attribute appended": """
        import torch
        class Trainer:
            def __init__(self):
                self.losses = []
            def step(self, x):
                self.losses.append(torch.zeros(1, device="cuda"))
            def report(self):
                x = self.losses[-1]  #= tensor device factory
    """,
    "a container that is filled with its own items": """
        def regroup(names):
            table = dict()
            for name in names:
                table[name] = table.pop()
            kept = table  #= container of unknown
    """,
    "holder dataclass": """
        import torch
        from dataclasses import dataclass
        @dataclass
        class Entry:
            value: torch.Tensor
            name: str
        def f():
            e = Entry(torch.zeros(3, device="cuda"), "a")
            v = e.value  #= tensor device factory
            n = e.name  #= string
    """,
    "a record by the annotation of a parameter, or of what a function returns": """
        import torch
        from dataclasses import dataclass
        @dataclass
        class Entry:
            value: torch.Tensor
            parts: dict[str, torch.Tensor]
        def made() -> Entry:
            cells = torch.zeros(3, device="cuda")
            return Entry(cells, {"first": cells})
        def show(entry: Entry, other: "Entry", unknown):
            v = entry.value  #= tensor device factory
            for key, part in other.parts.items():
                p = part  #= tensor device factory
            u = unknown.value  #= unknown
        def main():
            found = made()
            w = found.value  #= tensor device factory
            found = other()
            w = found.value  #= unknown
    """,
    "holder class": """
        import torch
        class Entry:
            def __init__(self, value, name):
                self.value = value
                self.name = name
        e = Entry(torch.zeros(3, device="cuda"), "a")
        v = e.value  #= tensor device factory
    """,
    "namedtuple": """
        import torch
        from typing import NamedTuple
        class Out(NamedTuple):
            logits: torch.Tensor
            aux: torch.Tensor
        def f(x):
            return Out(x.cuda(), x.cuda())
        for x in train_loader:
            o = f(x)
            l = o.logits  #= tensor device name
            a, b = f(x)
            c = b  #= tensor device batch
    """,
    "host-side attributes": """
        import torch
        device = "cuda"
        for x in train_loader:
            x = x.cuda()
            a = x.shape  #= shape
            b = x.dtype  #= dtype
            c = x.device  #= device
            d = x.placements  #= unknown
            e = x.grad_fn  #= unknown
            f = x.device_mesh  #= unknown
            g = x.is_cuda  #= number
            h = x.ndim  #= number
            i = x.requires_grad  #= number
            j = x.shape[0]  #= number
            k = x.placements  #= unknown
            l = x.device.type  #= string
            m = x.device.index  #= number
            n = x.layout  #= number
            o = x.itemsize  #= number
            p = x.output_nr  #= number
    """,
    "project loader": """
        from torch.utils.data import DataLoader
        class Feed(DataLoader):
            pass
        device = "cuda"
        feed = Feed(dataset)
        for x in feed:
            y = x  #= tensor host batch
    """,
    "project ddp": """
        import torch
        from torch.nn.parallel import DistributedDataParallel
        class Replica(DistributedDataParallel):
            def __getattr__(self, name):
                return getattr(self.module, name)
        def build(thing):
            wrapped = Replica(thing)
            kept = wrapped  #= module
    """,
    "project optimizer": """
        import torch
        device = "cuda"
        class Sign(torch.optim.Optimizer):
            def step(self):
                for group in self.param_groups:
                    for p in group["params"]:
                        kept = p  #= tensor device parameter
                        g = p.grad  #= tensor device parameter
                        state = self.state[p]
                        if not state:
                            state["step"] = 0
                            state["exp_avg"] = torch.zeros_like(p)
                        m = state["exp_avg"]  #= tensor device parameter
                        n = state["step"]  #= unknown
                        lr = group["lr"]  #= unknown
        opt = Sign(things)
        made = opt  #= optimizer
    """,
    "torch optimizer groups": """
        import torch
        device = "cuda"
        opt = torch.optim.SGD(model.parameters())
        for group in opt.param_groups:
            for p in group["params"]:
                kept = p  #= tensor device parameter
    """,
    "subclass of a subclass": """
        import torch
        from torch.utils.data import DataLoader
        class Base(DataLoader):
            pass
        class Feed(Base):
            pass
        feed = Feed(dataset)  #= loader
    """,
    "criterion class": """
        import torch
        class Focal(torch.nn.CrossEntropyLoss):
            def forward(self, x, y):
                return super().forward(x, y) ** 2
        made = Focal()  #= module
    """,
    "sampler and dataset": """
        import torch
        from torch.utils.data import Dataset, Sampler
        class Rows(Dataset):
            pass
        class Pick(Sampler):
            pass
        a = Rows()  #= dataset
        b = Pick()  #= sampler
    """,
}


@pytest.mark.parametrize("code", OBJECTS.values(), ids=OBJECTS.keys())
def test_objects_of_the_project(code: str) -> None:
    model = file_model(code)
    found = [(item.lineno, words(model.kinds.of(value_of(item), block))) for item, block, _ in marked(model)]
    assert found == [(statement.lineno, said) for statement, _, said in marked(model)]
