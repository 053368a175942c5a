"""What code does only without CUDA makes no GPU wait."""

import torch
from torch import nn


class Spectral(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.project = nn.Linear(width, width)

    def forward(self, x):
        on_mps = x.device.type == "mps"
        steps = torch.arange(x.shape[1])
        if on_mps:
            x = x + steps.to("mps")
        else:
            x = x + steps.to(x.device)  #! TRN207
        if on_mps:
            x = x * torch.ones(x.shape[1]).to(x.device)
        return self.project(x)


def train(model, optimizer, loader):
    model = Spectral(8).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    for batch in loader:
        loss = model(batch.cuda(non_blocking=True)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
