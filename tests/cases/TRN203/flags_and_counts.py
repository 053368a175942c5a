"""Truth is asked of flags, and counts stand among the tensors of a batch: what only guesses call a tensor is none."""

import torch
import torch.nn.functional as F
from torch import nn


class Captions(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.project = nn.Linear(width, width)
        self.register_buffer("ready", torch.zeros(1, dtype=torch.bool))

    def forward(self, captions, train, layout=None):
        if train and captions.shape[0] > 1:
            captions = F.dropout(captions, 0.1)
        if not layout.split_heads:
            captions = captions.flatten(1)
        if self.ready:  #! TRN203
            captions = captions + 1
        if captions.sum() > 0:  #! TRN203
            captions = captions - 1
        return self.project(captions)


class Tower(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.captions = Captions(width)

    def forward(self, batch):
        batch_size, frames = batch["batch_size"], batch["num_frames"]
        folded = batch["points"].view(batch_size, frames, -1)
        for _ in range(batch_size * frames):
            folded = folded + 1
        return self.captions(folded, batch["flipped"])


def main(loader):
    model = Tower(8).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    for batch in loader:
        loss = model({key: batch[key].cuda(non_blocking=True) for key in ("points", "lengths")}).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
