"""Saves by every door of torch, and reads back what it saved."""

import io
from pathlib import Path

import torch
from torch import nn

model = nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

torch.save(model.state_dict(), "weights.pt")
assert torch.equal(torch.load("weights.pt")["weight"], model.weight)

torch.save({"epoch": 1}, f=Path("nested") / ".." / "best.ckpt")
assert torch.load("best.ckpt") == {"epoch": 1}

with Path("opened.pt").open("wb") as stream:
    torch.save(torch.ones(3), stream)
with Path("opened.pt").open("rb") as stream:
    assert torch.load(stream).sum() == 3

scripted = torch.jit.script(model)
torch.jit.save(scripted, "scripted.pt")
scripted.save("method.pt")
assert torch.equal(torch.jit.load("scripted.pt")(torch.ones(1, 2)), torch.jit.load("method.pt")(torch.ones(1, 2)))

buffer = io.BytesIO()
torch.save(1, buffer)
assert buffer.getvalue()

import torch.distributed.checkpoint as checkpoint  # noqa: E402

state = {"weight": model.weight.detach().clone()}
checkpoint.save(state, checkpoint_id="distributed")
model.weight.data.zero_()
read = {"weight": torch.zeros(2, 2)}
checkpoint.load(read, checkpoint_id="distributed")
assert torch.equal(read["weight"], state["weight"])

for _ in range(3):
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
print("all was read back")
