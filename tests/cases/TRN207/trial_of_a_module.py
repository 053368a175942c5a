"""A loop below the classes of a module that trains on noise alone tries out memory or speed: no program is slow."""

import torch
from torch import nn


class Tower(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.project = nn.Linear(width, width)

    def forward(self, x):
        return self.project(x + torch.ones(x.shape[1]).to(x.device))  #! TRN207


if __name__ == "__main__":
    tower = Tower(64).cuda()
    adam = torch.optim.AdamW(tower.parameters(), fused=True)
    for step in range(10):
        x = torch.randn(8, 64).cuda()
        wanted = torch.randn(8, 64).cuda()
        loss = (tower(x) - wanted).square().mean()
        adam.zero_grad()
        loss.backward()
        adam.step()
