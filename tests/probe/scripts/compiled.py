"""A compiled model whose forward breaks the graph at one line and is compiled again for other shapes."""

import torch
from torch import nn

SHAPES = [(4, 8), (5, 8), (4, 8), (6, 8)]


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 8)
        self.second = nn.Linear(8, 1)

    def forward(self, inputs):
        hidden = self.first(inputs)
        scale = hidden.sum().item()  # breaks
        return self.second(hidden) * scale


class Whole(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 1))

    def forward(self, inputs):
        inputs = inputs.to("cpu")
        return self.layer(inputs)


model, whole = torch.compile(Model(), backend="eager"), torch.compile(Whole(), backend="eager")
optimizer = torch.optim.SGD([*model.parameters(), *whole.parameters()], lr=0.01)
for number in range(500):
    inputs = torch.randn(SHAPES[number % 4])
    loss = (model(inputs) + whole(inputs)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
