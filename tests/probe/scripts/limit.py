"""A compiled function that is compiled for each value of a number, until torch.compile gives up."""

import torch

torch._dynamo.config.recompile_limit = 3


class Decay(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(4))
        self.steps = 0

    def forward(self, features):  # compiled
        self.steps += 1
        return features * self.weight * 0.99**self.steps


model = Decay()
compiled = torch.compile(model, backend="eager")
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(60):
    compiled(torch.ones(4)).mean().backward()
    optimizer.step()
    optimizer.zero_grad()
