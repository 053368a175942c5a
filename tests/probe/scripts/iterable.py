"""An iterable dataset, drawn by worker processes."""

import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset


class Stream(IterableDataset):
    def __iter__(self):
        while True:
            yield torch.randn(4)


def main():
    loader = DataLoader(Stream(), batch_size=4, num_workers=1, prefetch_factor=3, multiprocessing_context="spawn")
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for inputs in loader:
        optimizer.zero_grad()
        model(inputs).square().mean().backward()
        optimizer.step()


if __name__ == "__main__":
    main()
