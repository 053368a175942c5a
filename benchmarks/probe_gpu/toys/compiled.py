"""Many small kernels, or the same compiled."""

import sys

import torch
from torch import nn

defect = sys.argv[1] == "defect"
device = "cuda" if torch.cuda.is_available() else "cpu"
rounds = 60 if device == "cuda" else 4
torch.manual_seed(0)


class Chain(nn.Module):
    """Elementwise operations, one after the other."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(256))

    def forward(self, x):
        """Each of them a kernel of its own, unless they are compiled."""
        for _ in range(rounds):
            x = torch.tanh(x * self.scale + 0.1) - 0.05
        return x


model = Chain().to(device)
model = model if defect else torch.compile(model, mode="reduce-overhead")
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
batch = torch.randn(64, 256, device=device)
for _ in range(400):
    optimizer.zero_grad()
    model(batch).square().mean().backward()
    optimizer.step()
