"""Values of the host that reach the device without a move in sight: list indices, `new_tensor`, names in between."""

import numpy as np
import torch


class Turned(torch.nn.Module):
    def __init__(self, kept):
        super().__init__()
        self.layer = torch.nn.Linear(8, 8)
        self.kept = kept
        self.register_buffer("turn", torch.tensor([2, 1, 0]))
        self.sign = 5

    def forward(self, frames, lengths):
        order = [2, 1, 0]
        frames = frames[:, order]  #! TRN207
        frames = frames[:, [0, 2, 1]]  #! TRN207
        rows = list(reversed(range(frames.size(0))))
        frames = frames[rows]  #! TRN207
        frames = frames[..., [i for i in range(8) if i % 2]]  #! TRN207
        frames = frames[np.array([1, 2])]  #! TRN207
        start = torch.zeros(1, frames.size(1))
        start = start.type(frames.type())  #! TRN207
        first = torch.FloatTensor(1, 3).zero_().type(frames.type())  #! TRN207
        labels = lengths.new_tensor(range(len(lengths)))  #! TRN207
        spots = lengths.new_tensor([1, 2])  #! TRN207
        return self.layer(frames) + start + first + labels + spots + self.token(frames) + self.near_misses(frames)

    def token(self, frames):
        token = torch.ones(frames.shape[0], 1) * self.sign
        token = token.long().to(frames.device)  #! TRN207
        return token

    def near_misses(self, frames):
        frames = frames[:, self.turn]
        frames = frames[0, 1][None, ..., 1:3]
        spot = (0, 1)
        cast = frames.type(torch.long)
        places = torch.arange(4, device=frames.device)
        fixed = torch.arange(4).to(frames.device)  #! TRN207
        frames = frames[fixed]
        return frames[spot] + frames[places] + cast.new_tensor(places).sum()


def train(loader, optimizer):
    model = Turned(3).cuda()
    for frames, lengths in loader:
        frames = frames.cuda(non_blocking=True)
        lengths = lengths.cuda(non_blocking=True)
        loss = model(frames, lengths).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
