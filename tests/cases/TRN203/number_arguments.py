"""Device scalars that are given for sizes, shifts and other numbers."""

import torch
import torch.nn.functional as F


class Aligned(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 8)

    def forward(self, frames, lengths):
        left, right = lengths.min(), lengths.max()
        margins = [left, right]
        padded = F.pad(frames, pad=[left, right])  #! TRN203
        padded = F.pad(padded, margins)  #! TRN203
        padded = padded.roll(lengths[0], dims=0)  #! TRN203
        padded = padded.clamp(0, right)  #! TRN203
        padded = padded.masked_fill(padded > 3, left)  #! TRN203
        room = torch.zeros((frames.shape[0], torch.max(lengths)) + tuple(frames.shape[2:]))  #! TRN203
        steps = torch.arange(right, device=frames.device)  #! TRN203
        best = padded.topk(k=left)  #! TRN203
        if 3 in lengths:  #! TRN203
            padded = padded * 2
        if torch.equal(left, right):  #! TRN203
            padded = padded + 1
        return self.layer(padded).sum() + room.sum() + steps.sum() + best.values.sum() + cut(frames, lengths).sum()

    def near_misses(self, frames, lengths):
        wide = lengths.max()
        count = frames.size(1)
        frames = frames.clamp(lengths.min(), wide)
        frames = frames.clamp(min=wide)
        frames = F.pad(frames, [0, count])
        frames = frames.view(count, -1).roll(count // 2, dims=0)
        frames = frames.masked_fill(frames > wide, 0.0)
        room = torch.zeros(frames.shape, device=frames.device)
        return frames + room.new_full((count, 2), 1.0)


def cut(frames, lengths):
    longest = lengths.max()
    return frames.narrow(1, 0, longest)  #! TRN203


def train(loader, optimizer):
    model = Aligned().cuda()
    for frames, lengths in loader:
        frames = frames.cuda(non_blocking=True)
        lengths = lengths.cuda(non_blocking=True)
        loss = model(frames, lengths) + model.near_misses(frames, lengths).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
