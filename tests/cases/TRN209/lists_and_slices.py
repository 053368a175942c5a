"""Lists indexed by device scalars, and slices up to elements of a tensor that a loop goes through."""

import torch


class Packed(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = torch.nn.GRU(8, 8)

    def forward(self, frames, lengths):
        lens, order = torch.sort(lengths, descending=True)
        places = [0] * lens.size(0)
        for i in range(len(order)):
            places[order[i]] = i  #! TRN209
        names = list(range(lens.size(0)))
        names[order[0]] = 1  #! TRN209
        rows = sorted(names)
        first = rows[order[1]]  #! TRN209
        made = frames.new_zeros(frames.shape)
        total = 0
        for i, n in enumerate(lengths):
            made[i, :n] = frames[i, :n]  #! TRN209
            total = total + n
        by_name = {0: frames, 1: made}
        chosen = by_name[first] if first in by_name else frames
        count = frames.size(0) // 2
        return self.cell(chosen[:count])[0] + made[:count] + places[count]


def train(loader, optimizer):
    model = Packed().cuda()
    for frames, lengths in loader:
        frames = frames.cuda(non_blocking=True)
        lengths = lengths.cuda(non_blocking=True)
        loss = model(frames, lengths).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
