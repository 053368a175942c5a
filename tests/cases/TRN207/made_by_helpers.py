"""Tensors that helpers make on the host, moved to the device by who calls them."""

import numpy as np
import torch
from settings import read_options
from torch import nn


def triangle(length):
    rows = torch.ones(length, length)
    return torch.tril(rows).bool()[None]


def heat_maps(count, size):
    maps = torch.zeros(count, size, size)
    boxes = torch.zeros(count, 4)
    return maps, boxes


class Mixer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer = nn.Linear(width, width)
        self.places = heat_maps(1, width)[0]

    def strides(self, levels):
        steps = []
        for level in levels:
            steps.append(torch.full((level, 1), 2.0))
        return torch.cat(steps)

    def forward(self, cells, lengths):
        seen = triangle(cells.size(1)).to(cells.device)  #! TRN207
        hidden = self.layer(cells).masked_fill(seen, 0.0)
        for part in hidden.unbind(1):
            maps, boxes = heat_maps(4, 16)
            part = part + maps.to(part.device).sum()  #! TRN207
            part = part + boxes.to(part.device).sum()  #! TRN207
        taken = np.full((len(lengths), cells.size(1)), False)
        for row, length in enumerate(lengths):
            taken[row, : int(length * 0.1)] = True
        taken = torch.from_numpy(taken).to(cells.device)  #! TRN207
        if self.training:
            hidden = hidden + self.places.repeat(cells.size(0), 1, 1).to(cells.device)  #! TRN207
        if hidden.dim() == 3:
            hidden = hidden * self.strides([4, 8]).type_as(hidden)  #! TRN207
        return hidden.masked_fill(taken, 0.0)


def train(loader, options):
    model = Mixer(64).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for cells, lengths, names in loader:
        cells = cells.cuda(non_blocking=True)
        loss = model(cells, lengths).sum()
        labels = torch.LongTensor([options.order.index(name) for name in names])
        if options.use_cuda:
            labels = labels.cuda()  #! TRN207
        loss = loss + nn.functional.cross_entropy(cells, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main(options):
    loader = torch.utils.data.DataLoader(options.cells, num_workers=8, pin_memory=True, persistent_workers=True)
    train(loader, options)


if __name__ == "__main__":
    main(read_options())
