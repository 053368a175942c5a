"""An option gives the loader its workers: whoever starts the program chooses, whatever the default."""

import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--loader_workers", type=int, default=0)
    args = parser.parse_args()
    model = nn.Linear(64, 10).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(ImageFolder("images"), 64, pin_memory=True, num_workers=args.loader_workers)
    for inputs, targets in loader:
        loss = nn.functional.cross_entropy(model(inputs.cuda(non_blocking=True)), targets.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
