"""A helper makes a run deterministic, but all its calls stand behind options that are off by default."""

import argparse
import random

import torch


def fix_everything(seed):
    random.seed(seed)
    torch.manual_seed(seed)
    torch.backends.cudnn.deterministic = True


def reproduce(seed):
    fix_everything(seed)


def train(model, optimizer, train_loader):
    for inputs, targets in train_loader:
        loss = torch.nn.functional.mse_loss(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main(model, optimizer, train_loader):
    parser = argparse.ArgumentParser()
    parser.add_argument("--reproducible", action="store_true")
    parser.add_argument("--seed", type=int, default=None)
    args = parser.parse_args()
    if args.reproducible:
        fix_everything(0)
    if args.seed is not None:
        reproduce(args.seed)
    train(model, optimizer, train_loader)


if __name__ == "__main__":
    main()
