"""An option gives the loader workers by default."""

import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--loader_workers", type=int, default=4)
    args = parser.parse_args()
    model = nn.Linear(64, 10).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(ImageFolder("images"), 64, pin_memory=True, num_workers=args.loader_workers)
    for inputs, targets in loader:
        loss = nn.functional.cross_entropy(model(inputs.cuda(non_blocking=True)), targets.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def train_by_settings(settings, images, model, optimizer):
    """A default that is stored in an object, and what one program sets."""
    loader = DataLoader(ImageFolder(images), 64, pin_memory=True, num_workers=settings.io_workers)
    for inputs, targets in loader:
        loss = nn.functional.cross_entropy(model(inputs.cuda(non_blocking=True)), targets.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def defaults(node):
    node.io_workers = 4
    return node


def quick(images, model, optimizer):
    settings = defaults(argparse.Namespace())
    settings.io_workers = 0
    train_by_settings(settings, images, model, optimizer)


if __name__ == "__main__":
    main()
